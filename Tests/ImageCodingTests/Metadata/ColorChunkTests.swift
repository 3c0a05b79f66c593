// SPDX-License-Identifier: MIT
import CImageShims
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
        expect(colors(PNGChunk.inserting("gAMA", PNGChunk.bigEndian(55_556), into: plain)) != nil)
        expectNil(colors(PNGChunk.inserting("cHRM", [UInt8](repeating: 0, count: 32), into: plain)))
        // The x and y of white, red, green and blue, times 100,000.
        let measured: [UInt32] = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]
        expect(colors(PNGChunk.inserting("cHRM", measured.flatMap(PNGChunk.bigEndian), into: plain)) != nil)
        // White without light, or all light, and colours that would take light away.
        for (index, number) in [(1, 900), (0, 70_000), (3, 70_000), (6, .max), (7, .max >> 1)] as [(Int, UInt32)] {
            var numbers = measured
            numbers[index] = number
            expectNil(colors(PNGChunk.inserting("cHRM", numbers.flatMap(PNGChunk.bigEndian), into: plain)), "\(index)")
        }
    }

    @Test func `the numbers of primaries and curves mean what H.273 says`() {
        // White, red, green and blue; the white of television where none is said.
        let television = [0.3127, 0.3290]
        let meanings: [([Int], [Double])] = [
            ([4], [0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08]),
            ([5], television + [0.64, 0.33, 0.29, 0.60, 0.15, 0.06]),
            ([6, 7], television + [0.630, 0.340, 0.310, 0.595, 0.155, 0.070]),
            ([8], [0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049]),
            ([9], television + [0.708, 0.292, 0.170, 0.797, 0.131, 0.046]),
            ([11], [0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]),
            ([12], television + [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]),
            ([22], television + [0.630, 0.340, 0.295, 0.605, 0.155, 0.077]),
        ]
        for (numbers, points) in meanings {
            for number in numbers {
                guard case .measured(let primaries, .sRGB)? = ColorDescription(primaries: number, transfer: 13) else {
                    Issue.record("\(number)")
                    continue
                }
                expectEqual(primaries.points, points, "\(number)")
            }
        }
        let curves: [(Int, ColorCurve)] = [
            (4, .gamma(2.2)), (5, .gamma(2.8)), (8, .gamma(1)), (16, .perceptual), (18, .hybrid),
        ]
        for (number, curve) in curves {
            expectEqual(ColorDescription(primaries: 1, transfer: number), .measured(.sRGB, curve))
        }
        // The curves of television, those of sRGB, and numbers without a meaning.
        for number in [0, 1, 2, 3, 6, 7, 11, 12, 13, 14, 15, 255] {
            expectNil(ColorDescription(primaries: 1, transfer: number), "\(number)")
        }
        for number in [0, 1, 2, 3, 10, 255] {
            expectNil(ColorDescription(primaries: number, transfer: 13), "\(number)")
        }
    }

    @Test func `sixteen bits are converted in every column of a wide picture`() throws {
        func file(_ columns: Range<Int>) throws -> [UInt8] {
            var file = PNGHeader.signature
            let size = PNGChunk.bigEndian(UInt32(columns.count)) + PNGChunk.bigEndian(1)
            PNGChunk.append("IHDR", [(size + [16, 2, 0, 0, 0])[...]], to: &file)
            PNGChunk.append("gAMA", [PNGChunk.bigEndian(100_000)[...]], to: &file)
            var row: [UInt8] = [0]
            for x in columns { for value in [x, 999 - x, 500] { row += [UInt8(value >> 2), UInt8(value & 3)] } }
            // Behind the name of a profile and two zeros.
            let data = try required(PNGProfile.deflated(row)).dropFirst(13)
            PNGChunk.append("IDAT", [data], to: &file)
            PNGChunk.append("IEND", [], to: &file)
            return file
        }
        let parts = try [0..<200, 200..<400, 400..<600, 600..<700].flatMap { try coders.decode(file($0)).pixels }
        try expectEqual(coders.decode(file(0..<700)).pixels, parts)
    }

    @Test func `films in HLG are as bright as their scene, and white is what paper reflects`() throws {
        func converted(_ signals: [UInt8], _ curve: ColorCurve) throws -> [Int] {
            let source = ColorConversion.Source(description: .measured(.sRGB, curve), pixels: Int32(SWI_PIXELS_RGBA_8))
            let conversion = try required(ColorConversion.of(source))
            let pixels = signals.flatMap { [$0, $0, $0, 255] as [UInt8] }
            let image = try DecodedImage(
                width: signals.count, height: 1, frames: [.init(pixels: pixels)], hasAlpha: false)
            let result = try conversion.convert(image).pixels
            return signals.indices.map { Int(result[$0 * 4]) }
        }
        // BT.2408: a signal of 75 % is 203 cd/m² on a screen of 1,000.
        for (found, expected) in zip(try converted([0, 64, 128, 166, 191, 255], .hybrid), [0, 62, 137, 197, 255, 255]) {
            expect(abs(found - expected), <=, 2)
        }
        // A curve that is nearly that of sRGB is another one.
        try expect(converted([20], .gamma(2.2)) != [20])
    }

    @Test func `of many profiles the first one counts, also when it is broken`() throws {
        let known = try required(MetadataBlocks(of: Self.file("wide.png")).profile)
        let good = try required(PNGProfile.deflated(known))
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
        let known = try required(MetadataBlocks(of: Self.file("wide.png")).profile)
        // A matrix of zeros, which makes everything black, in place of the description.
        func number(_ value: Int) -> [UInt8] { PNGChunk.bigEndian(UInt32(value)) }
        let matrix = Array("matf".utf8) + number(0) + [0, 3, 0, 3] + [UInt8](repeating: 0, count: 48)
        let element = Array("mpet".utf8) + number(0) + [0, 3, 0, 3] + number(1) + number(24) + number(matrix.count)
        var other = known + element + matrix
        other.replaceSubrange(0..<4, with: number(other.count))
        let entry = try required(
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
                    try coders.decode(PNGChunk.inserting("iCCP", required(PNGProfile.deflated(profile)), into: file))
                        .pixels
                }
                expectEqual(pictures[0], pictures[1])
                try expect(pictures[0] != coders.decode(file).pixels)
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
