// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebImageTesting

@Suite("SeedMark")
struct SeedMarkTests {
    @Test
    func `the seed changes a large picture in blue alone, and black, white and transparent pixels carry it`() throws {
        // The seed changes a large picture in blue alone, and by little.
        do {
            let mark = try required(SeedMark(width: 320, height: 200))
            for seed in [0, 12_345, 65_535] {
                let plain = [[UInt8]](repeating: [128, 128, 128, 255], count: 320 * 200).flatMap { $0 }
                var marked = plain
                mark.write(seed, into: &marked)
                expectEqual(mark.seed(in: marked), seed)
                let changes = zip(plain, marked).map { abs(Int($0) - Int($1)) }
                let blue = stride(from: 2, to: changes.count, by: 4).map { changes[$0] }
                expectEqual(changes.reduce(0, +), blue.reduce(0, +), "red, green and alpha stay")
                expect(blue.reduce(0, +), <, 6 * blue.count)
            }
        }

        // Black, white and transparent pixels carry a seed.
        for side in [16, 40, 90, 200] {
            let mark = try required(SeedMark(width: side, height: side))
            for levels in [[0, 0, 0, 255], [255, 255, 255, 255], [255, 0, 0, 255]] as [[UInt8]] {
                let clear = [[UInt8]](repeating: [0, 0, 0, 0], count: side / 4 * side)
                let rest = [[UInt8]](repeating: levels, count: (side - side / 4) * side)
                var pixels = (clear + rest).flatMap { $0 }
                mark.write(40_000, into: &pixels)
                expectEqual(mark.seed(in: pixels), 40_000, "\(side) \(levels)")
                expect(pixels[..<(side / 4 * side * 4)].allSatisfy { $0 == 0 }, "what is transparent stays so")
            }
        }
    }
}
