// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// What the chunks of a PNG say of its colours.
@Suite struct ColorChunkTests {
    private let coders = ImageCoders.default

    private static func file(_ name: String) throws -> [UInt8] { try Fixture.file("Colors/\(name)") }

    @Test func `of what a PNG says of its colours, the strongest chunk counts`() throws {
        func colors(_ file: [UInt8]) -> ColorDescription? { MetadataBlocks(of: file).colors }
        let numbers = try Self.file("adobe-numbers16.png")
        expectNil(colors(PNGChunk.inserting("sRGB", [0], into: numbers)))
        let profile = try Self.file("wide.png")
        expectEqual(colors(PNGChunk.inserting("sRGB", [0], into: profile)), colors(profile))
        let coded = PNGChunk.inserting("cICP", [12, 13, 0, 1], into: profile)
        expectEqual(colors(coded), ColorDescription(primaries: 12, transfer: 13))
        expectNil(colors(PNGChunk.inserting("cICP", [1, 1, 0, 1], into: profile)))
        // Those of video are none.
        expectEqual(colors(PNGChunk.inserting("cICP", [12, 13, 6, 1], into: profile)), colors(profile))
        let plain = try Fixture.file("rgb8.png")
        expectNil(colors(PNGChunk.inserting("gAMA", PNGChunk.bigEndian(45_455), into: plain)))
        expectNil(colors(PNGChunk.inserting("gAMA", [0, 0, 0, 0], into: plain)))
        #expect(colors(PNGChunk.inserting("gAMA", PNGChunk.bigEndian(55_556), into: plain)) != nil)
        expectNil(colors(PNGChunk.inserting("cHRM", [UInt8](repeating: 0, count: 32), into: plain)))
        // The x and y of white, red, green and blue, times 100,000.
        let measured: [UInt32] = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]
        #expect(colors(PNGChunk.inserting("cHRM", measured.flatMap(PNGChunk.bigEndian), into: plain)) != nil)
        // White without light, or all light, and colours that would take light away.
        for (index, number) in [(1, 900), (0, 70_000), (3, 70_000), (6, .max), (7, .max >> 1)] as [(Int, UInt32)] {
            var numbers = measured
            numbers[index] = number
            expectNil(colors(PNGChunk.inserting("cHRM", numbers.flatMap(PNGChunk.bigEndian), into: plain)), "\(index)")
        }
    }

    @Test func `of many profiles the first one counts, also when it is broken`() throws {
        let known = try #require(MetadataBlocks(of: Self.file("wide.png")).profile)
        let good = try #require(PNGProfile.deflated(known))
        let broken = good.dropLast(40) + [UInt8](repeating: 0, count: 40)
        let plain = try Fixture.file("rgb8.png")
        let first = PNGChunk.inserting("iCCP", good, into: plain)
        // The last ones inserted stand first.
        let file = PNGChunk.inserting("iCCP", Array(broken), times: 5_000, into: first)
        expectNil(MetadataBlocks(of: file).profile)
        expectNil(MetadataBlocks(of: file).colors)
        try expectEqual(coders.decode(file).pixels, coders.decode(plain).pixels)
        expectEqual(
            MetadataBlocks(of: PNGChunk.inserting("iCCP", good, into: first)).profile, MetadataBlocks(of: first).profile
        )
    }

    @Test func `elements of floating point in a profile are left out, because they may share their bytes`() throws {
        let known = try #require(MetadataBlocks(of: Self.file("wide.png")).profile)
        // A matrix of zeros, which makes everything black, in place of the description.
        func number(_ value: Int) -> [UInt8] { PNGChunk.bigEndian(UInt32(value)) }
        let matrix = Array("matf".utf8) + number(0) + [0, 3, 0, 3] + [UInt8](repeating: 0, count: 48)
        let element = Array("mpet".utf8) + number(0) + [0, 3, 0, 3] + number(1) + number(24) + number(matrix.count)
        var other = known + element + matrix
        other.replaceSubrange(0..<4, with: number(other.count))
        let entry = try #require(
            stride(from: 132, to: 240, by: 12).first { other[$0..<$0 + 4].elementsEqual("desc".utf8) })
        for name in ["D2B0", "D2B1", "D2B2"] {
            let tag = Array(name.utf8) + number(known.count) + number(element.count + matrix.count)
            other.replaceSubrange(entry..<entry + 12, with: tag)
            for file in [try Fixture.file("rgb8.png"), try Self.file("linear16.png")] {
                // The intent of the header chooses among the three.
                other[67] = UInt8(name.utf8.last! - 48)
                var plain = known
                plain[67] = other[67]
                let pictures = try [other, plain].map { profile in
                    try coders.decode(PNGChunk.inserting("iCCP", #require(PNGProfile.deflated(profile)), into: file))
                        .pixels
                }
                expectEqual(pictures[0], pictures[1])
                try #expect(pictures[0] != coders.decode(file).pixels)
            }
        }
    }
}

extension PNGChunk {
    /// A file with chunks before the pixels, after the header of 33 bytes.
    static func inserting(
        _ type: StaticString, _ payload: [UInt8], times count: Int = 1, into file: [UInt8]
    ) -> [UInt8] {
        var chunks: [UInt8] = []
        for _ in 0..<count { append(type, [payload[...]], to: &chunks) }
        return file[..<33] + chunks + file[33...]
    }
}
