// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Small files that need much memory, which the header shows, or much work, which is counted.
@Suite("Bombs")
struct BombTests {
    private func code(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) -> ImageError.Code? {
        do {
            _ = try ImageCoders.default.decode(bytes, options: options)
            return nil
        } catch { return (error as? ImageError)?.code }
    }

    private static let thumbnail = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 100, height: 100)))

    @Test func `an animation on a large canvas is refused from its header`() {
        for bytes in [
            ImageFactory.canvasBombWebP(), ImageFactory.canvasBombWebP(side: 7_000),
            ImageFactory.canvasBombWebP(frames: 256, canvas: 988, side: 988),
            ImageFactory.frameBombGIF(frames: 5, side: 7_000), ImageFactory.fullFrameGIF(),
        ] {
            expectEqual(code(bytes), .tooLarge)
            expectEqual(code(bytes, BombTests.thumbnail), .tooLarge)
        }
    }

    @Test(arguments: [1, 99, 120], [3, 4])
    func `a progressive JPEG beyond the memory is refused before its first scan`(scans: Int, components: Int) throws {
        let bytes = ImageFactory.scanBombJPEG(scans: scans, components: components)
        let work = DecodingWork(limits: .default, byteCount: bytes.count)
        expectImageError(.memoryLimitExceeded) { try JPEGCoder().decode(bytes, DecodeOptions(), work) }
        expectEqual(work.drawnPixelCount, 0)
    }

    @Test func `the scans of a JPEG are counted and bounded`() throws {
        let bytes = ImageFactory.scanBombJPEG(side: 160, scans: 9)
        func drawn(_ limits: ImageLimits) throws -> Int {
            let work = DecodingWork(limits: limits, byteCount: bytes.count)
            _ = try JPEGCoder().decode(bytes, DecodeOptions(limits: limits), work)
            return work.drawnPixelCount
        }
        // Each scan and the drawing; libjpeg reports once more for each scan that begins or ends.
        let count = try drawn(.default)
        let scan = 160 * 160
        expect((10 * scan...12 * scan).contains(count))
        try expectEqual(drawn(ImageLimits(maximumDrawnPixelCount: count)), count)
        let error = expectImageError(.workLimitExceeded) { try drawn(ImageLimits(maximumDrawnPixelCount: count - 1)) }
        expectEqual(error?.message.contains("\(count - 1)"), true)
        try expectEqual(drawn(ImageLimits(maximumScanCount: 9)), count)
        expectImageError(.tooLarge) { try drawn(ImageLimits(maximumScanCount: 8)) }
        // Many empty scans end within the default work.
        let many = ImageFactory.scanBombJPEG(side: 4_700, scans: 99)
        expect(many.count, <, 1 << 20)
        expectEqual(code(many, BombTests.thumbnail), .workLimitExceeded)
    }

    @Test func `a PNG inflates nothing after its last row`() throws {
        let bytes = ImageFactory.endlessPNG(byteCount: 400_000)
        let work = DecodingWork(limits: .default, byteCount: bytes.count)
        let image = try PNGCoder().decode(bytes, DecodeOptions(), work)
        expectEqual(image.size, PixelSize(width: 10, height: 10))
        // One look for each piece of 32 KiB, and one for each of the other chunks.
        expect(work.lookCount, <, 30)
    }

    @Test func `a PNG shows no row that was never drawn, and its image data must be contiguous`() throws {
        let bytes = ImageFactory.oversizedPNG(64)
        let data = try required(bytes.indices.first { bytes[$0...].starts(with: "IDAT".utf8) }) - 4
        // The image data of a lower picture, then none.
        let few = ImageFactory.oversizedPNG(32)
        let fewData = try required(few.indices.first { few[$0...].starts(with: "IDAT".utf8) }) - 4
        expectEqual(code(Array(bytes[..<data]) + few[fewData...]), .malformed)
        expectEqual(code(bytes[..<data] + bytes.suffix(12)), .malformed)
        expectEqual(code(Array(bytes[..<data]) + few[fewData..<few.count - 12]), .truncated)
        // And unknown critical chunks are refused.
        let (whole, end) = (bytes[..<(bytes.count - 12)], bytes[(bytes.count - 12)...])
        func chunk(_ type: String) -> [UInt8] { [0, 0, 0, 0] + Array(type.utf8) + [0, 0, 0, 0] }
        expectNil(code(Array(whole) + chunk("teXt") + end))
        expectEqual(code(Array(whole) + chunk("TEXt") + end), .malformed)
        expectEqual(code(Array(whole) + chunk("teXt") + bytes[data...]), .malformed)
    }

    @Test func `a GIF that is a header alone allocates no canvas, and a first frame that is removed leaves it clear`()
        throws
    {
        let bytes = ImageFactory.headerOnlyGIF()
        expectEqual(code(bytes), .truncated)
        let work = DecodingWork(limits: .default, byteCount: bytes.count)
        expectImageError { try GIFCoder().decode(bytes, DecodeOptions(), work) }
        expectEqual(work.drawnPixelCount, 0)
        let image = try ImageCoders.default.decode(ImageFactory.fullFrameGIF(frames: 3, side: 20))
        expectEqual(image.frames.count, 3)
        let black = (0..<20 * 20).flatMap { _ in [0, 0, 0, 255] as [UInt8] }
        expect(image.frames.allSatisfy { $0.pixels == black })
    }

    @Test func `groups of codes count as memory of a lossless WebP`() throws {
        let bytes = ImageFactory.codeGroupBombWebP()
        expectEqual(code(bytes), .memoryLimitExceeded)
        expectEqual(code(bytes, BombTests.thumbnail), .memoryLimitExceeded)
        func cost(_ groups: Int) throws -> Int {
            let bytes = ImageFactory.codeGroupBombWebP(groups: groups)
            try expectEqual(
                ImageCoders.default.decode(bytes).width * ImageCoders.default.decode(bytes).width, groups * 16)
            return try ImageCoders.default.decodingByteCount(of: bytes)
        }
        // Some twelve kilobytes a group.
        let difference = try cost(6_400) - cost(1_600)
        expect((4_800 * 10_000...4_800 * 14_000).contains(difference))
        func cost(_ groups: Int, _ place: Range<Int>, _ bits: [UInt8]) throws -> Int {
            let plain = ImageFactory.codeGroupBombWebP(groups: groups)
            var all = plain[20...].flatMap { byte in (0..<8).map { byte >> $0 & 1 } }
            all.replaceSubrange(place, with: bits)
            var changed = [UInt8](repeating: 0, count: plain.count - 20)
            for index in 0..<changed.count * 8 { changed[index / 8] |= all[index] << UInt8(index % 8) }
            return try ImageCoders.default.decodingByteCount(of: plain[..<20] + changed)
        }
        // With a cache of 2,048 colours, each group has codes for them: the flag before groups, and 11 in four bits.
        let more = try cost(1_600, 41..<42, [1, 1, 1, 0, 1]) - cost(1_600)
        expect(more, >=, 1_600 * 2_048 * 4)
        // Of four blocks, the last one has another group: its green and its red, the highest bit first.
        func costOfLast(_ group: Int) throws -> Int {
            let digits = (0..<8).reversed()
            let bits = digits.map { UInt8(group >> $0 & 1) } + digits.map { UInt8(group >> ($0 + 8) & 1) }
            return try cost(4, 202..<218, bits)
        }
        // Up to 1,000 groups are made whether a block has them or not; of more, those that there are.
        let (three, four) = (try costOfLast(2), try costOfLast(3))
        expectEqual((four - three) / 1_000, 12)
        try expectEqual(costOfLast(999), four + 996 * (four - three))
        try expectEqual(costOfLast(1_000), four + (four - three))
    }

    @Test func `a lossless WebP beyond the memory is drawn smaller for a thumbnail`() throws {
        let bytes = ImageFactory.plainWebP(side: 800)
        let limits = ImageLimits(maximumByteCount: 800 * 800 * 5)
        expectEqual(code(bytes, DecodeOptions(limits: limits)), .memoryLimitExceeded)
        let box = PixelSize(width: 50, height: 50)
        let image = try ImageCoders.default.decode(
            bytes, options: DecodeOptions(limits: limits, thumbnail: .resize(to: box)))
        expectEqual(image.size, box)
        let whole = try ImageCoders.default.decode(bytes, options: DecodeOptions(thumbnail: .resize(to: box)))
        expect(image.isSame(as: whole))
    }

    @Test func `files of many small pieces decode to their pixels, and the first frame although many follow`() throws {
        expectNil(code(ImageFactory.chunkBombPNG(chunks: 20_000)))
        expectNil(code(ImageFactory.markerBombJPEG(segments: 200_000)))
        expectNil(code(ImageFactory.chunkBombWebP(chunks: 20_000)))
        expectNil(code(ImageFactory.commentBombGIF(byteCount: 200_000)))
        expectEqual(code(ImageFactory.clearCodeGIF(byteCount: 20_000)), .malformed)
        let options = DecodeOptions(limits: ImageLimits(maximumByteCount: 1_000_000), firstFrameOnly: true)
        try expectEqual(
            ImageCoders.default.decode(ImageFactory.canvasBombWebP(frames: 300, canvas: 300), options: options)
                .frames.count, 1)
        try expectEqual(
            ImageCoders.default.decode(ImageFactory.frameBombGIF(frames: 300, side: 300), options: options).frames
                .count, 1)
    }
}
