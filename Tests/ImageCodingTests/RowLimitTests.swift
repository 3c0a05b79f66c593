// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Limits count what is held: a picture that is drawn row by row may be larger than they allow to hold.
@Suite("Rows within limits")
struct RowLimitTests {
    private static let size = PixelSize(width: 400, height: 300)
    private static let box = PixelSize(width: 50, height: 38)
    /// A quarter of the picture, and a little more than the rows for a row of the thumbnail.
    private static let few = ImageLimits(maximumPixelCount: 30_000)

    private static func file(_ format: ImageFormat) throws -> [UInt8] {
        switch format {
        case .bmp: ImageFactory.bitmapFile(width: size.width, height: size.height, seed: 21)
        case .jpeg: try ImageFactory.encoded(width: size.width, height: size.height, seed: 21, as: .jpeg())
        case .gif: try ImageFactory.encoded(width: size.width, height: size.height, seed: 21, as: .gif)
        default: try ImageFactory.encoded(width: size.width, height: size.height, seed: 21, as: .png)
        }
    }

    private static func decode(_ bytes: [UInt8], _ options: DecodeOptions) throws -> DecodedImage {
        try ImageCoders.default.decode(bytes, options: options)
    }

    @Test(arguments: [ImageFormat.png, .bmp, .gif, .jpeg], [ResizeTransformer.Mode.fit, .fill, .cover, .stretch])
    func `a thumbnail of a picture beyond the limit is the one of a picture within it`(
        format: ImageFormat, mode: ResizeTransformer.Mode
    ) throws {
        let bytes = try Self.file(format)
        expectImageError(.tooLarge) { try Self.decode(bytes, DecodeOptions(limits: Self.few)) }
        for (failOn, length) in [(DamagePolicy.truncated, bytes.count), (.never, bytes.count * 2 / 3)] {
            for inLinearLight in [false, true] {
                var options = DecodeOptions(failOn: failOn)
                options.thumbnail = ResizeTransformer(size: Self.box, mode: mode, inLinearLight: inLinearLight)
                let expected = try Self.decode(Array(bytes.prefix(length)), options)
                options.limits = Self.few
                let thumbnail = try Self.decode(Array(bytes.prefix(length)), options)
                expect(thumbnail.isSame(as: expected))
                expectEqual(thumbnail.damage, expected.damage)
                expectEqual(thumbnail.damage.contains(.missingPixels), failOn == .never)
            }
        }
        var strict = DecodeOptions(limits: Self.few, failOn: .anyDamage)
        strict.thumbnail = .resize(to: Self.box, mode: mode)
        let error = expectImageError { try Self.decode(Array(bytes.prefix(bytes.count * 2 / 3)), strict) }
        expectEqual(error?.isDamage, true)
    }

    @Test(arguments: 1...8) func `a picture that is turned is held as a thumbnail alone`(orientation: UInt8) throws {
        let file = try Self.file(.png)
        // Little-endian, one entry: the orientation.
        let entry: [UInt8] = [0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        let block = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0]
        let bytes =
            file[..<33] + [0, 0, 0, UInt8(block.count)] + Array("eXIf".utf8) + block + [0, 0, 0, 0] + file[33...]
        var options = DecodeOptions(thumbnail: .resize(to: Self.box, mode: .fill))
        let expected = try Self.decode(Array(bytes), options)
        options.limits = Self.few
        expect(try Self.decode(Array(bytes), options).isSame(as: expected))
        options.thumbnail = .resize(to: PixelSize(width: 4_000, height: 4_000))
        expectImageError(.tooLarge) { try Self.decode(Array(bytes), options) }
    }

    @Test func `the rows count, the thumbnail counts, and the error says which of them is too large`() throws {
        let bytes = try Self.file(.png)
        func error(_ side: Int, _ most: Int) -> ImageError? {
            var options = DecodeOptions(limits: ImageLimits(maximumPixelCount: most))
            options.thumbnail = .resize(to: PixelSize(width: side, height: side))
            do {
                _ = try Self.decode(bytes, options)
                return nil
            } catch { return error as? ImageError }
        }
        // Three rows of a thumbnail up and down are 24 rows each, and 20 are for the decoder.
        let rows = 400 * (2 * 24 + 20)
        expectNil(error(50, rows))
        let small = error(50, rows - 1)
        expectEqual(small?.code, .tooLarge)
        expectEqual(small?.message.contains("400x300 pixels, \(rows) of them held"), true)
        expectEqual(small?.advice?.contains("larger thumbnail"), true)
        expectNil(error(300, 300 * 225))
        expectEqual(error(300, 300 * 225 - 1)?.advice?.contains("smaller thumbnail"), true)
        // A picture that may be held whole may be a thumbnail of any size.
        for side in [1, 2, 50, 399, 400] { expectNil(error(side, 400 * 300)) }
    }

    @Test func `what is drawn whole is refused, and the error says why`() throws {
        var interlaced = try Self.file(.png)
        interlaced[28] = 1
        let animation = { (format: EncodedFormat) in
            try ImageFactory.encodedAnimation(width: 400, height: 300, frames: 2, seed: 21, as: format)
        }
        let files: [(String, [UInt8])] = [
            ("An interlaced picture", interlaced), ("An animation", try animation(.gif)),
            ("An animation", try animation(.webp())), ("An animation", try animation(.apng)),
        ]
        for (subject, bytes) in files {
            let options = DecodeOptions(limits: Self.few, thumbnail: .resize(to: Self.box))
            let error = expectImageError(.tooLarge) { try Self.decode(bytes, options) }
            expectEqual(error?.message.contains("\(subject) is drawn whole for a thumbnail too."), true, "\(subject)")
        }
    }

    @Test func `indexes that wait for a row count as memory`() throws {
        let runs = ImageFactory.bitmapFile(width: 400, height: 300, seed: 21, inRuns: true)
        for bytes in [runs, try ThumbnailTests.withInterlacing(Self.file(.gif))[1]] {
            var options = DecodeOptions(thumbnail: .resize(to: Self.box))
            let expected = try Self.decode(bytes, options)
            options.limits = Self.few
            options.limits.maximumByteCount = try ImageCoders.default.decodingByteCount(of: bytes, options: options)
            expect(try Self.decode(bytes, options).isSame(as: expected))
            options.limits.maximumByteCount = 400 * 300
            expectImageError(.memoryLimitExceeded) { try Self.decode(bytes, options) }
        }
    }

    @Test func `a PNG of 65 megapixels is a thumbnail within the default limits of memory`() throws {
        let bytes = ImageFactory.oversizedPNG(8_100)
        var options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 500, height: 500)))
        try expect(ImageCoders.default.decodingByteCount(of: bytes, options: options), <, 12 << 20)
        // A build for debugging takes longer.
        options.limits.maximumProcessorTime = .seconds(1_000)
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let image = try PNGCoder().decode(bytes, options, work)
        expectEqual(image.size, PixelSize(width: 500, height: 500))
        expectEqual(work.drawnPixelCount, 8_100 * 8_100)
    }

    @Test(arguments: [ResizeTransformer.Mode.fit, .fill, .cover, .stretch])
    func `a picture without rows or columns is malformed, and what it takes is told`(
        mode: ResizeTransformer.Mode
    ) throws {
        let file = try Self.file(.jpeg)
        // The frame header: its marker, length and bits, then the height and the width.
        let frame = try required(file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        for side in [frame + 5..<frame + 7, frame + 7..<frame + 9, frame + 5..<frame + 9] {
            var bytes = file
            for index in side { bytes[index] = 0 }
            for size in [PixelSize(width: 9, height: 7), PixelSize(width: 4_000, height: 1)] {
                let options = DecodeOptions(thumbnail: .resize(to: size, mode: mode))
                try expect(ImageCoders.default.decodingByteCount(of: bytes, options: options), >, 0)
                expectImageError(.malformed) { try Self.decode(bytes, options) }
            }
        }
    }

    @Test func `more pixels than may be drawn are refused from the header, whatever is held`() throws {
        var png = ImageFactory.oversizedPNG(8)
        png.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xDC, 0, 0, 0xFF, 0xDC])
        var bitmap = ImageFactory.bitmapFile(width: 8, height: 8, seed: 1)
        bitmap.replaceSubrange(18..<26, with: [0xDC, 0xFF, 0, 0, 0xDC, 0xFF, 0, 0])
        let gif = ImageFactory.frameBombGIF(frames: 1, side: 65_500)
        let decoders: [([UInt8], any WatchedDecoding)] = [
            (png, PNGCoder()), (bitmap, BMPCoder()), (gif, GIFCoder()),
        ]
        for (bytes, decoder) in decoders {
            for failOn in DamagePolicy.allCases {
                let options = DecodeOptions(
                    thumbnail: .resize(to: PixelSize(width: 1_000, height: 1_000)), failOn: failOn)
                let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
                let error = expectImageError(.workLimitExceeded) { try decoder.decode(bytes, options, work) }
                expectEqual(error?.message.contains("1000000000"), true)
                expectEqual(work.drawnPixelCount, 0)
            }
        }
        // To the last pixel.
        let bytes = try Self.file(.png)
        for (most, code) in [(400 * 300, nil), (400 * 300 - 1, ImageError.Code.workLimitExceeded)] {
            var options = DecodeOptions(thumbnail: .resize(to: Self.box))
            options.limits.maximumDrawnPixelCount = most
            let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
            do {
                _ = try PNGCoder().decode(bytes, options, work)
                expectNil(code)
            } catch let error as ImageError {
                expectEqual(error.code, code)
                expectEqual(work.drawnPixelCount, 0)
            }
        }
    }
}
