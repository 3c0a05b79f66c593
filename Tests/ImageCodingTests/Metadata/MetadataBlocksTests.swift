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
            payload += [number, 8]
            payload += bytes
            return [0xFF, 0xE2] + Array(PNGChunk.bigEndian(UInt32(payload.count + 2)).suffix(2)) + payload
        }
        let kept = try coders.decode(file, options: DecodeOptions(keepsColors: true))
        let plain = try coders.encode(kept, as: .jpeg(quality: 95))
        let length = (known.count + 7) / 8
        // The last part stands first.
        let parts = (0..<8).reversed().map { number in
            part(UInt8(number + 1), known[number * length..<min((number + 1) * length, known.count)])
        }
        let (start, rest) = (Array(plain[..<2]), Array(plain[2...]))
        let swapped = start + parts.joined() + rest
        expectEqual(profile(swapped, limit: known.count), known)
        expectNil(profile(swapped, limit: known.count - 1))
        let fill: [UInt8] = [0xFF, 0xFF]
        let filled = start + parts.flatMap { fill + $0 } + fill + rest
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
