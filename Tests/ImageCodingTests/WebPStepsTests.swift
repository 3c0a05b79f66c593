// SPDX-License-Identifier: MIT
import CLibwebp
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// A WebP is drawn in steps of a bounded number of pixels, and comes out as if libwebp had drawn it at once.
@Suite("Steps of a WebP")
struct WebPStepsTests {
    private static let kinds: [(name: String, format: EncodedFormat, hasAlpha: Bool)] = [
        ("lossy", format(), false), ("lossy with alpha", format(), true), ("low quality", format(quality: 5), false),
        ("lossless", format(isLossless: true), false), ("lossless with alpha", format(isLossless: true), true),
    ]

    /// With little effort, because the files need not be small.
    private static func format(quality: Int = 75, isLossless: Bool = false) -> EncodedFormat {
        EncodedFormat(.webp, options: EncodeOptions(quality: quality, isLossless: isLossless, effort: 1))
    }

    /// Wide and high pictures, without and with alpha; in the high ones, most bytes belong to the upper half.
    private static let pictures = [false, true].map { hasAlpha in
        let wide = ImageFactory.picture(width: 1_311, height: 873, seed: 7, hasAlpha: hasAlpha)
        let high = ImageFactory.picture(width: 515, height: 1_601, seed: 8, hasAlpha: hasAlpha)
        let pixels = noise + high.pixels[noise.count...]
        return [wide, DecodedImage(high.size, .held([.init(pixels: pixels)]), hasAlpha: hasAlpha)]
    }

    /// The upper half of a high picture: opaque, so that the pixels stay premultiplied.
    private static let noise = {
        var noise = SeededGenerator.bytes(count: 515 * 800 * 4, seed: 3)
        for alpha in stride(from: 3, to: noise.count, by: 4) { noise[alpha] = 255 }
        return noise
    }()

    private struct File: Hashable {
        let hasAlpha: Bool
        let picture: Int
        let format: EncodedFormat
    }

    private static let files = Mutex<[File: [UInt8]]>([:])

    /// One of the pictures as a file, which is written once for all tests.
    private static func encoded(_ hasAlpha: Bool, _ picture: Int, _ format: EncodedFormat) throws -> [UInt8] {
        let file = File(hasAlpha: hasAlpha, picture: picture, format: format)
        if let bytes = files.withLock({ $0[file] }) { return bytes }
        let bytes = try ImageCoders.default.encode(pictures[hasAlpha ? 1 : 0][picture], as: format)
        files.withLock { $0[file] = bytes }
        return bytes
    }

    @Test(arguments: kinds.map(\.name))
    func `a file without all its pixels is refused before any is drawn`(kind: String) throws {
        let (_, format, hasAlpha) = try required(WebPStepsTests.kinds.first { $0.name == kind })
        // Large enough to be drawn in more than one step.
        let bytes = try Self.encoded(hasAlpha, 0, format)
        for count in [bytes.count - 2, bytes.count * 3 / 4] {
            let work = DecodingWork(limits: .default, byteCount: count)
            expectImageError(.truncated) {
                try WebPCoder().decode(Array(bytes.prefix(count)), DecodeOptions(), work)
            }
            expectEqual(work.drawnPixelCount, 0)
        }
    }

    /// What libwebp draws in one call.
    private func atOnce(_ bytes: [UInt8], _ size: PixelSize, as drawn: PixelSize) throws -> [UInt8] {
        var config = unsafe WebPDecoderConfig()
        expect(unsafe WebPInitDecoderConfig(&config) != 0)
        unsafe config.output.colorspace = MODE_RGBA
        unsafe config.options.use_scaling = drawn == size ? 0 : 1
        unsafe config.options.scaled_width = Int32(drawn.width)
        unsafe config.options.scaled_height = Int32(drawn.height)
        expectEqual(unsafe WebPDecode(bytes, bytes.count, &config), VP8_STATUS_OK)
        defer { unsafe WebPFreeDecBuffer(&config.output) }
        return unsafe Array(UnsafeBufferPointer(start: config.output.u.RGBA.rgba, count: drawn.bitmapByteCount))
    }

    /// Draws, and returns what had been drawn at each look.
    private func draw(
        _ bytes: [UInt8], _ size: PixelSize, as drawn: PixelSize
    ) throws -> (pixels: [UInt8], counts: [Int]) {
        let unlimited = DecodingWork(limits: .default, byteCount: 0)
        let outline = try WebPOutline(bytes, DecodeOptions(), unlimited)
        let bitstream = try required(outline.bitstream)
        var counts = [Int]()
        var work = unlimited
        work = DecodingWork(limits: .default, byteCount: bytes.count) {
            counts.append(work.drawnPixelCount)
            return false
        }
        let pixels = try unsafe Bitmap.draw(drawn) { output in
            _ = try unsafe bitstream.draw(bytes, size: size, as: drawn, to: output, stride: drawn.width * 4, work: work)
        }
        return (pixels, counts)
    }

    @Test(arguments: kinds.map(\.name), 0..<2)
    func `steps draw what one call draws, and few pixels each`(name: String, picture: Int) throws {
        let kind = try required(WebPStepsTests.kinds.first { $0.name == name })
        let image = WebPStepsTests.pictures[kind.hasAlpha ? 1 : 0][picture]
        let bytes = try WebPStepsTests.encoded(kind.hasAlpha, picture, kind.format)
        for drawn in [image.size, PixelSize(width: image.width / 3, height: image.height / 2)] {
            let (pixels, counts) = try draw(bytes, image.size, as: drawn)
            expectEqual(pixels, (try atOnce(bytes, image.size, as: drawn)))
            expectEqual(counts.last, image.size.pixelCount)
            // Of a lossless picture, rows are drawn twice in each step.
            let most = kind.format.options.isLossless ? 900_000 : 500_000
            expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= most }, "\(counts)")
        }
    }

    @Test func `pixels that take no bytes are drawn in one step`() throws {
        let size = PixelSize(width: 2_000, height: 2_000)
        let counts = try draw(ImageFactory.plainWebP(side: 2_000), size, as: size).counts
        expectEqual(counts.filter { $0 > 0 }, [size.pixelCount])
    }

    @Test func `a step gets its share of the bytes that are left, and lossless codes are read at most eight times`() {
        let size = PixelSize(width: 1_000, height: 10_000)
        var steps = WebPSteps(header: 2_000, byteCount: 102_000, size: size, isLossless: false)
        expectEqual(steps.end, 2_000)
        steps.advance(drawn: 0)
        expectEqual(steps.end, 2_000 + 100_000 * 262_144 / 10_000_000)
        // Nearly all bytes are used, and nothing is drawn: the steps are short now.
        for _ in 0..<200 { steps.advance(drawn: 0) }
        expectAll(steps.end > 101_000, !steps.isLast)
        steps.advance(drawn: size.pixelCount)
        expect(steps.isLast)
        // A header that claims to be longer than the file.
        expect(WebPSteps(header: 9_000, byteCount: 100, size: size, isLossless: false).isLast)
        expect(WebPSteps(header: 10, byteCount: 100, size: PixelSize(width: 9, height: 9), isLossless: true).isLast)
        let large = PixelSize(width: 7_000, height: 7_000)
        steps = WebPSteps(header: 5, byteCount: 300_000, size: large, isLossless: true)
        var count = 1
        while !steps.isLast {
            steps.advance(drawn: 0)
            count += 1
        }
        expectEqual(count, 8)
        // With pixels, steps are a quarter of the mean at least, as each draws up to eight rows again.
        steps = WebPSteps(header: 5, byteCount: 300_000, size: large, isLossless: true)
        for count in 1...100_000 where !steps.isLast {
            steps.advance(drawn: 1)
            if steps.isLast { expect(count, <, 400) }
        }
        expect(steps.isLast)
    }

    /// What libwebp writes for pixels that it got in one call.
    private func encodedAtOnce(_ image: DecodedImage, _ format: EncodedFormat) throws -> [UInt8] {
        var config = WebPConfig()
        expect(unsafe WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, Float(format.options.quality)) != 0)
        config.method = 1
        if format.options.isLossless {
            config.lossless = 1
            config.quality = 75
        }
        var picture = unsafe WebPPicture()
        expect(unsafe WebPPictureInit(&picture) != 0)
        unsafe picture.use_argb = 1
        unsafe picture.width = Int32(image.width)
        unsafe picture.height = Int32(image.height)
        let straight = try Bitmap.unpremultiplied(image.pixels)
        expect(unsafe WebPPictureImportRGBA(&picture, straight, Int32(image.width * 4)) != 0)
        defer { unsafe WebPPictureFree(&picture) }
        var memory = unsafe WebPMemoryWriter()
        unsafe WebPMemoryWriterInit(&memory)
        defer { unsafe WebPMemoryWriterClear(&memory) }
        unsafe withUnsafeMutablePointer(to: &memory) { memory in
            unsafe picture.writer = WebPMemoryWrite
            unsafe picture.custom_ptr = UnsafeMutableRawPointer(memory)
            expect(unsafe WebPEncode(&config, &picture) != 0)
        }
        return unsafe Array(UnsafeBufferPointer(start: memory.mem, count: memory.size))
    }

    @Test(arguments: [false, true], [0, 1])
    func `pixels that libwebp gets in strips give the file of all at once`(isLossless: Bool, picture: Int) throws {
        let format = WebPStepsTests.format(isLossless: isLossless)
        for hasAlpha in [false, true] {
            let bytes = try WebPStepsTests.encoded(hasAlpha, picture, format)
            let image = WebPStepsTests.pictures[hasAlpha ? 1 : 0][picture]
            expectEqual(bytes, (try encodedAtOnce(image, format)))
        }
    }
}
