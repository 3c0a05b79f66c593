// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// What the fixtures of BMP and ICO do not show.
@Suite("BMP and ICO")
struct BitmapFileTests {
    private func code(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) -> ImageError.Code? {
        expectError(ImageError.self) { try ImageCoders.default.decode(bytes, options: options) }?.code
    }

    private func changed(_ name: String, _ offset: Int, to values: [UInt8]) throws -> [UInt8] {
        var bytes = try Fixture.file(name)
        bytes.replaceSubrange(offset..<offset + values.count, with: values)
        return bytes
    }

    @Test func `a bitmap without its last rows or runs is refused, or drawn as far as it is there`() throws {
        let bytes = try Fixture.file("bgr.bmp")
        let whole = try ImageCoders.default.decode(bytes)
        // The rows are stored from the lowest one, 72 bytes each.
        let cut = Array(bytes.dropLast(72 * 5))
        expectEqual(code(cut), .truncated)
        let part = try ImageCoders.default.decode(cut, options: DecodeOptions(failOn: .never))
        expectEqual(part.damage, [.missingPixels, .missingEnd])
        expect(part.hasAlpha)
        expect(part.pixels.prefix(23 * 4 * 5).allSatisfy { $0 == 0 })
        expectEqual(part.pixels.dropFirst(23 * 4 * 5), whole.pixels.dropFirst(23 * 4 * 5))
        // Without the padding of the last row.
        let padding = Array(bytes.dropLast(2))
        try expectEqual(ImageCoders.default.decode(padding).damage, .missingEnd)
        expectEqual(code(padding, DecodeOptions(failOn: .anyDamage)), .truncated)
        // Runs without an end are a picture if all rows are there.
        let file = try Fixture.file("runs8.bmp")
        let image = try ImageCoders.default.decode(Array(file.dropLast(2)))
        try expectEqual(image.pixels, ImageCoders.default.decode(file).pixels)
        expectEqual(image.damage, .missingEnd)
        expectEqual(code(Array(file.dropLast(2)), DecodeOptions(failOn: .anyDamage)), .truncated)
        expectEqual(code(Array(file.dropLast(40))), .truncated)
    }

    @Test func `sizes that do not fit are refused from the header, and varieties that are not read are named`() throws {
        let rows: [(offset: Int, values: [UInt8], code: ImageError.Code)] = [
            (18, [0, 0, 0, 0], .malformed), (18, [0, 0, 0, 0x80], .malformed), (22, [0, 0, 0, 0], .malformed),
            (22, [0, 0, 0, 0x80], .malformed), (18, [0xFF, 0xFF, 0, 0], .tooLarge),
            (18, [0, 40, 0, 0, 0, 40, 0, 0], .tooLarge), (10, [0xFF, 0xFF, 0xFF, 0xFF], .truncated),
            // Bits and compression.
            (28, [24, 0, 4, 0, 0, 0], .unsupportedFormat), (28, [24, 0, 5, 0, 0, 0], .unsupportedFormat),
            (28, [24, 0, 1, 0, 0, 0], .unsupportedFormat), (28, [3, 0, 0, 0, 0, 0], .unsupportedFormat),
            (28, [64, 0, 0, 0, 0, 0], .unsupportedFormat),
        ]
        for (offset, values, expected) in rows {
            expectEqual(code(try changed("bgr.bmp", offset, to: values)), expected, "\(values) at \(offset)")
        }
        expectEqual(code(try changed("runs8.bmp", 18, to: [0xA0, 0x1F, 0, 0, 0x10, 0x18, 0, 0])), .memoryLimitExceeded)
    }

    @Test func `the files of the factory are the pictures that they are made from`() throws {
        let picture = ImageFactory.picture(width: 21, height: 17, seed: 79)
        let bitmap = ImageFactory.bitmapFile(width: 21, height: 17, seed: 79)
        try expectEqual(ImageCoders.default.decode(bitmap).pixels, picture.pixels)
        let runs = try ImageCoders.default.decode(
            ImageFactory.bitmapFile(width: 21, height: 17, seed: 79, inRuns: true))
        expect(stride(from: 1, to: picture.pixels.count, by: 4).allSatisfy { runs.pixels[$0] == picture.pixels[$0] })
        let icon = try ImageCoders.default.decode(ImageFactory.iconFile(side: 16, seed: 79))
        expectAll(icon.hasAlpha, icon.size == PixelSize(width: 16, height: 16))
    }

    @Test func `a delta moves on in the runs of a bitmap, and never beyond it`() throws {
        let bytes = try Fixture.file("runs8.bmp")
        let start = Int(bytes[10]) | Int(bytes[11]) << 8
        // Two to the right and one up, a pixel of colour 3, two to the right, another one, far beyond, 200 more, the end.
        let runs: [UInt8] = [0, 2, 2, 1, 1, 3, 0, 2, 2, 0, 1, 3, 0, 2, 255, 255, 200, 3, 0, 1]
        let image = try ImageCoders.default.decode(bytes[..<start] + runs)
        let (first, third) = (image.pixels[0..<3], [111, 17, 216] as ArraySlice<UInt8>)
        for y in 0..<17 {
            for x in 0..<23 {
                let at = (y * 23 + x) * 4
                expect(image.pixels[at..<at + 3].elementsEqual([2, 5].contains(x) && y == 15 ? third : first))
            }
        }
    }

    @Test func `the largest picture of an icon is read, whatever the others are`() throws {
        // The first entry points nowhere.
        let bytes = try changed("alpha.ico", 18, to: [0xFF, 0xFF, 0xFF, 0xFF])
        try expectEqual(ImageCoders.default.decode(bytes).size, PixelSize(width: 21, height: 18))
        expectEqual(code(try changed("alpha.ico", 34, to: [0xFF, 0xFF, 0xFF, 0xFF])), .truncated)
        expectEqual(code([0, 0, 1, 0, 1, 0, 16, 16, 0, 0]), .truncated)
        // A side of 0 is one of 256.
        expectEqual(
            code(try changed("alpha.ico", 6, to: [0, 0] + bytes[8..<18] + [0xFF, 0xFF, 0xFF, 0xFF])), .truncated)
        expectImageError { try ICOCoder().decode([0, 0, 1, 0, 0, 0], options: DecodeOptions()) }
        // An icon in an icon is none.
        expectEqual(code(try changed("png.ico", 0x166, to: [0, 0, 1, 0, 1, 0, 16, 16])), .malformed)
    }

    /// An icon or a cursor of these pictures, whose entries say what they like.
    private func icon(kind: UInt8 = 1, _ entries: [(side: UInt8, bits: UInt8, file: [UInt8])]) -> [UInt8] {
        var (head, start): ([UInt8], Int) = ([0, 0, kind, 0, UInt8(entries.count), 0], 6 + 16 * entries.count)
        for entry in entries {
            head += [entry.side, entry.side, 0, 0, 1, 0, entry.bits, 0]
            for number in [entry.file.count, start] { head += PNGChunk.bigEndian(UInt32(number)).reversed() }
            start += entry.file.count
        }
        return head + entries.flatMap(\.file)
    }

    @Test
    func `of the pictures of an icon the largest is shown, 256 pixels being 0, and of equal ones that of most bits`()
        throws
    {
        // Entries choose alone: the first picture has three pixels a side, and the second four.
        let files = try [3, 4].map { try ImageFactory.encoded(width: $0, height: $0, seed: 1, as: .png) }
        for (kind, first, second, expected): (UInt8, (UInt8, UInt8), (UInt8, UInt8), Int) in [
            (1, (255, 32), (0, 8), 4), (1, (0, 8), (255, 32), 3), (1, (16, 8), (16, 32), 4),
            (1, (16, 32), (16, 8), 3),
            // A cursor has its place where the bits are.
            (2, (16, 8), (16, 32), 3),
        ] {
            let file = icon(kind: kind, [(first.0, first.1, files[0]), (second.0, second.1, files[1])])
            try expectEqual(ImageCoders.default.decode(file).width, expected, "\(first), \(second)")
        }
    }

    @Test func `an icon is one frame, and the copy of its picture counts`() throws {
        let moving = icon([
            (8, 32, try ImageFactory.encodedAnimation(width: 8, height: 8, frames: 3, seed: 1, as: .apng))
        ])
        try expectEqual(ImageCoders.default.decode(moving).frameCount, 1)
        try expectEqual(ImageCoders.default.properties(of: moving).frameCount, 1)
        for file in [moving, ImageFactory.iconFile(side: 16, seed: 79)] {
            var longer = file + [UInt8](repeating: 0, count: 50_000)
            longer.replaceSubrange(14..<18, with: PNGChunk.bigEndian(UInt32(longer.count - 22)).reversed())
            let costs = try [longer, file].map { try ImageCoders.default.decodingByteCount(of: $0) }
            expectEqual(costs[0] - costs[1], 50_000)
        }
    }

    @Test func `a bitmap has the colours that fit before its pixels, and the masks that its compression says`() throws {
        func pixels(bits: UInt8, _ compression: UInt8, _ table: [UInt8], _ row: [UInt8], width: UInt8) throws -> [UInt8]
        {
            let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
            let start: [UInt8] = [UInt8(54 + table.count), 0, 0, 0, 40, 0, 0, 0]
            let head = "BM".utf8 + zeros(8) + start + [width, 0, 0, 0, 1, 0, 0, 0, 1, 0, bits, 0, compression, 0, 0, 0]
            return try ImageCoders.default.decode(head + zeros(20) + table + row).pixels
        }
        // No number of colours stands for sixteen.
        let two: [UInt8] = [30, 20, 10, 0, 3, 2, 1, 0]
        try expectEqual(pixels(bits: 4, 0, two, [0x01, 0, 0, 0], width: 2), [10, 20, 30, 255, 1, 2, 3, 255])
        let masks: [UInt8] = [255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0]
        let row: [UInt8] = [255, 0, 51, 102]
        try expectEqual(pixels(bits: 32, 3, masks, row, width: 1), [255, 0, 51, 255])
        try expectEqual(pixels(bits: 32, 6, masks + [0, 0, 0, 255], row, width: 1), [102, 0, 20, 102])
    }

    @Test(arguments: ["bgr.bmp", "runs4.bmp", "alpha.ico", "mask.ico", "png.ico"])
    func `the memory is told before, and a limit below it refuses`(name: String) throws {
        let bytes = try Fixture.file(name)
        let count = try ImageCoders.default.decodingByteCount(of: bytes)
        expect(count, >=, (try Fixture.named(name).size.bitmapByteCount))
        expectEqual(code(bytes, DecodeOptions(limits: ImageLimits(maximumByteCount: 1_000))), .memoryLimitExceeded)
    }

    @Test func `the rows and runs of a bitmap are checked for cancellation`() throws {
        var bytes = try changed("bgr.bmp", 18, to: [0, 4, 0, 0, 0, 4, 0, 0])
        bytes += [UInt8](repeating: 9, count: 1_024 * 1_024 * 3)
        let rows = DecodingWork(limits: .default, byteCount: bytes.count)
        _ = try BMPCoder().decode(bytes, DecodeOptions(), rows)
        expectEqual(rows.lookCount, 64)
        expectEqual(rows.drawnPixelCount, 1_024 * 1_024)
        bytes = try Fixture.file("runs8.bmp").dropLast(2) + [UInt8](repeating: 0, count: 100_000) + [0, 1]
        let runs = DecodingWork(limits: .default, byteCount: bytes.count)
        _ = try BMPCoder().decode(bytes, DecodeOptions(), runs)
        expect(runs.lookCount, >=, 48)
        let stopped = DecodingWork(limits: .default, byteCount: bytes.count) { true }
        expectError(CancellationError.self) { try BMPCoder().decode(bytes, DecodeOptions(), stopped) }
    }
}
