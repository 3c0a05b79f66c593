// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

@Suite("Interlaced PNG") struct InterlacedTests {
    /// Where each pass begins, and how far apart its pixels are (PNG, third edition, section 8).
    private static let passes = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    private func file(_ width: Int, _ height: Int, _ value: (Int, Int) -> UInt8) throws -> [UInt8] {
        var rows: [UInt8] = []
        for (left, top, across, down) in Self.passes where left < width {
            for y in stride(from: top, to: height, by: down) {
                rows.append(0)
                for x in stride(from: left, to: width, by: across) { rows.append(value(x, y)) }
            }
        }
        var file = PNGHeader.signature
        let size = PNGChunk.bigEndian(UInt32(width)) + PNGChunk.bigEndian(UInt32(height))
        PNGChunk.append("IHDR", [(size + [8, 0, 0, 0, 1])[...]], to: &file)
        // Behind the name of a profile and two zeros.
        PNGChunk.append("IDAT", [try required(PNGProfile.deflated(rows)).dropFirst(13)], to: &file)
        PNGChunk.append("IEND", [], to: &file)
        return file
    }

    @Test func `a picture of any small size has its pixels, also where a pass has none`() throws {
        func value(_ x: Int, _ y: Int) -> UInt8 { UInt8(x * 20 + y * 3) }
        let options = DecodeOptions(failOn: .anyDamage)
        for width in 1...9 {
            for height in 1...9 {
                let image = try ImageCoders.default.decode(file(width, height, value), options: options)
                var expected: [UInt8] = []
                for y in 0..<height {
                    for x in 0..<width { expected += [value(x, y), value(x, y), value(x, y), 255] }
                }
                expectEqual(Array(image.pixels), expected, "\(width)x\(height)")
            }
        }
    }
}
