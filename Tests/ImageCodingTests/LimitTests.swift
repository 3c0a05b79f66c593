// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("ImageLimits")
struct LimitTests {
    private func code(_ bytes: [UInt8], _ limits: ImageLimits) -> ImageError.Code? {
        do {
            _ = try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: limits))
            return nil
        } catch {
            return (error as? ImageError)?.code
        }
    }

    @Test(arguments: [EncodedFormat.jpeg(), .jpeg(isProgressive: true), .png, .gif, .webp(), .losslessWebP])
    func `pixels and sides are limited to the last one`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 40, height: 30, seed: 1, as: format)
        expectNil(code(bytes, ImageLimits(maximumPixelCount: 1_200)))
        expectEqual(code(bytes, ImageLimits(maximumPixelCount: 1_199)), .tooLarge)
        expectNil(code(bytes, ImageLimits(maximumSide: 40)))
        expectEqual(code(bytes, ImageLimits(maximumSide: 39)), .tooLarge)
    }

    @Test(arguments: [EncodedFormat.gif, .webp(), .losslessWebP])
    func `frames and their pixels together are limited`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 5, seed: 1, as: format)
        expectNil(code(bytes, ImageLimits(maximumFrameCount: 5, maximumAnimationPixelCount: 6_000)))
        expectNil(code(bytes, ImageLimits(maximumFrameCount: .max, maximumAnimationPixelCount: .max)))
        expectEqual(code(bytes, ImageLimits(maximumFrameCount: 4)), .tooLarge)
        expectEqual(code(bytes, ImageLimits(maximumAnimationPixelCount: 5_999)), .tooLarge)
        let first = DecodeOptions(
            limits: ImageLimits(maximumFrameCount: 1, maximumAnimationPixelCount: 1_200), firstFrameOnly: true)
        try expectEqual(ImageCoders.default.decode(bytes, options: first).frames.count, 1)
    }

    @Test(arguments: [EncodedFormat.jpeg(), .jpeg(isProgressive: true), .webp(), .losslessWebP])
    func `a picture above the limit is drawn small for a thumbnail`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 400, height: 300, seed: 21, as: format)
        let limits = ImageLimits(maximumPixelCount: 100_000)
        expectEqual(code(bytes, limits), .tooLarge)
        func size(_ side: Int, _ limits: ImageLimits) -> PixelSize? {
            let resize = ResizeTransformer(size: PixelSize(width: side, height: side))
            return try? ImageCoders.default.decode(bytes, options: DecodeOptions(limits: limits, thumbnail: resize))
                .size
        }
        expectEqual(size(50, limits), PixelSize(width: 50, height: 38))
        // Half of the sides are drawn for it, although less than one and a half times the result.
        expectEqual(size(190, limits), PixelSize(width: 190, height: 143))
        expectEqual(size(200, limits), PixelSize(width: 200, height: 150))
        // A JPEG can be drawn whole row by row; libwebp's picture would be held.
        expectEqual(size(201, limits), format.format == .jpeg ? PixelSize(width: 201, height: 151) : nil)
        // An eighth of the sides.
        expectEqual(size(10, ImageLimits(maximumPixelCount: 50 * 38)), PixelSize(width: 10, height: 8))
        expectNil(size(10, ImageLimits(maximumPixelCount: 50 * 38 - 1)))
        expectNil(size(10, ImageLimits(maximumSide: 399)))
    }

    @Test func `an error says what the file has, what may be, and which limit to raise`() {
        let limits = ImageLimits(
            maximumPixelCount: 100, maximumSide: 40, maximumFrameCount: 3, maximumAnimationPixelCount: 250,
            maximumByteCount: 9, maximumDrawnPixelCount: 7)
        func text(_ check: () throws -> Void) -> String? {
            expectImageError(nil, "no error", check)?.description
        }
        func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }
        for sides in [size(0, 5), size(5, 0), size(-1, 5)] {
            expectEqual(
                text { try limits.check(sides) },
                "ImageError.malformed: The picture is \(sides) pixels: nothing to show.")
        }
        for sides in [size(41, 1), size(1, 41)] {
            expectEqual(
                text { try limits.check(sides) },
                "ImageError.tooLarge: \(sides) pixels: a side may have 40 at most.")
        }
        expectEqual(
            text { try limits.check(size(10, 11)) },
            "ImageError.tooLarge: 10x11 pixels: a frame may have 100 at most. Raise ImageLimits.maximumPixelCount.")
        expectEqual(
            text { try limits.check(size(10, 11), frames: 2) },
            "ImageError.tooLarge: 10x11 pixels: a frame may have 100 at most. An animation is drawn whole for a "
                + "thumbnail too. Raise ImageLimits.maximumPixelCount.")
        expectEqual(
            text { try limits.check(size(5, 5), frames: 4, onDemand: true) },
            "ImageError.tooLarge: 4 frames: an animation may have 3 at most.")
        expectEqual(
            text { try limits.check(size(10, 10), frames: 3) },
            "ImageError.tooLarge: 3 frames of 10x10: an animation may have 250 pixels at most.")
        expectEqual(
            text { try limits.check(byteCount: 10) },
            "ImageError.memoryLimitExceeded: Decoding would take 10 bytes of memory, 9 are allowed. "
                + "Ask for a thumbnail, or raise ImageLimits.maximumByteCount.")
        expectEqual(
            text { try DecodingWork(limits: limits, byteCount: 0).look(pixels: 8) },
            "ImageError.workLimitExceeded: More than 7 pixels to draw in all scans, passes and frames.")
    }

    @Test func `a tiny thumbnail of a huge picture holds too many rows`() throws {
        let small = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 10, height: 10)))
        expectImageError(.tooLarge) { try ImageCoders.default.decode(ImageFactory.oversizedPNG(), options: small) }
    }

    @Test func `a JPEG of too many scans is refused, one of many is not`() throws {
        let bytes = try Fixture.named("progressive-420.jpg").bytes
        let start = try required(bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let scan = bytes[start..<bytes.count - 2]
        func bomb(_ scans: Int) -> [UInt8] { bytes.dropLast(2) + (0..<scans).flatMap { _ in scan } + bytes.suffix(2) }
        expectNil(code(bomb(20), .default))
        expectEqual(code(bomb(200), .default), .tooLarge)
        expectEqual(code(bomb(20), ImageLimits(maximumScanCount: 20)), .tooLarge)
    }

    @Test
    func `a frame larger than the screen counts with its own size, and sizes that overflow are malformed`() throws {
        // The frame's width and height in the tiny GIF, made 2,000 each.
        var bytes = try Fixture.named("tiny.gif").bytes
        let frame = try required(bytes.indices.first { bytes[$0] == 0x2C })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xD0, 0x07, 0xD0, 0x07])
        expectEqual(code(bytes, ImageLimits(maximumPixelCount: 1_000_000)), .tooLarge)
        expectEqual(code(bytes, .default), .malformed)
        // All frames count together.
        var three = Array(bytes[..<frame])
        for _ in 0..<3 { three += bytes[frame..<bytes.count - 1] }
        three.append(0x3B)
        expectEqual(code(three, ImageLimits(maximumAnimationPixelCount: 11_999_999)), .tooLarge)
        expectEqual(code(three, ImageLimits(maximumAnimationPixelCount: 12_000_000)), .malformed)
        for size in [[UInt8](repeating: 0, count: 8), [0, 0, 0, 1, 0, 0, 0, 0], [UInt8](repeating: 0xFF, count: 8)] {
            var bytes = ImageFactory.oversizedPNG(8)
            bytes.replaceSubrange(16..<24, with: size)
            let limits = ImageLimits(maximumPixelCount: .max, maximumSide: .max)
            expectEqual(code(bytes, limits), .malformed, "\(size)")
        }
    }
}
