// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

struct SamplingTests {
    private func drawn(_ values: [UInt8], width: Int) throws -> [UInt8] {
        let pixels: [UInt8] = values.flatMap { value -> [UInt8] in [value, value, value, 255] }
        let picture = try DecodedImage(width: values.count, height: 1, frames: [.init(pixels: pixels)], hasAlpha: false)
        var patch = Patch(width: width, height: 1)
        patch.draw(picture)
        return stride(from: 0, to: patch.pixels.count, by: 3).map { patch.pixels[$0] }
    }

    @Test func `a smaller picture has the means of its pixels, and a larger one pixels between them`() throws {
        try expectEqual(drawn([0, 100, 50, 150, 7, 9], width: 3), [50, 100, 8])
        try expectEqual(drawn([0, 100, 50, 150, 7], width: 2), [50, 69])
        let sampling = Sampling(from: 2, to: 8)
        expectEqual(sampling.first, [0, 0, 0, 0, 0, 0, 1, 1])
        expectEqual(sampling.shares, [0, 0, 32, 96, 160, 224, 32, 96])
        expect(sampling.last.allSatisfy { $0 < 2 })
    }

    @Test(arguments: [(1, 1), (1, 9), (9, 1), (7, 7), (5, 4_000), (4_000, 5)])
    func `no place is outside the picture`(_ source: Int, _ target: Int) {
        let sampling = Sampling(from: source, to: target)
        expectEqual(sampling.first.count, target)
        expectEqual(sampling.last.count, target)
        expect(zip(sampling.first, sampling.last).allSatisfy { 0 <= $0 && $0 <= $1 && $1 < source })
    }
}
