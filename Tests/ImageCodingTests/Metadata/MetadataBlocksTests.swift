// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// What is found in a file without decoding it.
@Suite struct MetadataBlocksTests {
    private let coders = ImageCoders.default

    private func profile(_ file: [UInt8], limit: Int = 1 << 20) -> [UInt8]? {
        MetadataBlocks(of: file, limits: ImageLimits(maximumMetadataByteCount: limit)).profile
    }

    @Test func `a profile in parts is put together by their numbers, within the limit, also behind bytes that fill`()
        throws
    {
        let file = try Fixture.file("Colors/p3.jpg")
        let known = try required(profile(file))
        func part(_ number: UInt8, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var payload = Array("ICC_PROFILE\0".utf8)
            payload += [number, 2]
            payload += bytes
            return [0xFF, 0xE2] + Array(PNGChunk.bigEndian(UInt32(payload.count + 2)).suffix(2)) + payload
        }
        let kept = try coders.decode(file, options: DecodeOptions(keepsColors: true))
        let plain = try coders.encode(kept, as: .jpeg(quality: 95))
        let (first, second) = (part(1, known[..<200]), part(2, known[200...]))
        let (start, rest) = (Array(plain[..<2]), Array(plain[2...]))
        // The second part stands first.
        let swapped = start + second + first + rest
        expectEqual(profile(swapped, limit: known.count), known)
        expectNil(profile(swapped, limit: known.count - 1))
        let fill: [UInt8] = [0xFF, 0xFF]
        let filled = start + fill + second + fill + first + fill + rest
        expectEqual(profile(filled), known)
        try expectEqual(coders.decode(filled).pixels, coders.decode(swapped).pixels)
        try expect(coders.decode(filled).pixels != coders.decode(plain).pixels)
    }

    @Test func `a profile that a PNG compresses counts as long as it is`() throws {
        let zeros = try required(PNGProfile.deflated([UInt8](repeating: 0, count: 100_000)))
        let file = PNGChunk.inserting("iCCP", zeros, into: try Fixture.file("rgb8.png"))
        expectEqual(profile(file, limit: 100_000)?.count, 100_000)
        expectNil(profile(file, limit: 99_999))
    }
}
