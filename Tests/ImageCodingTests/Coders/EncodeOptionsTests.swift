// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("EncodeOptions")
struct EncodeOptionsTests {
    private let coders = ImageCoders.default

    /// Noise compresses badly, so quality matters.
    private static func noise(_ side: Int) throws -> DecodedImage {
        let bytes = ImageFactory.randomBytes(count: side * side * 4, seed: 5).enumerated().map {
            $0 % 4 == 3 ? 255 : $1
        }
        return try DecodedImage(width: side, height: side, frames: [.init(pixels: bytes)], hasAlpha: false)
    }

    @Test(arguments: [
        EncodedFormat.jpeg(quality: 95), .webp(quality: 95),
        EncodedFormat(.jpeg, options: EncodeOptions(quality: 95, optimizesCoding: false)),
    ])
    func `the best quality below the limit of a file is found, or the smallest file`(format: EncodedFormat) throws {
        let image = try Self.noise(64)
        let whole = try coders.encode(image, as: format)
        try expectEqual(coders.encode(image, as: format.limited(toByteCount: whole.count)), whole)
        let limit = whole.count / 2
        let small = try coders.encode(image, as: format.limited(toByteCount: limit))
        expect(small.count, <=, limit)
        try expectEqual(
            coders.encode(image, as: format.limited(toByteCount: small.count)), small, "a file of the limit")
        // The file is that of one quality, and that of the next one is too large.
        func file(_ quality: Int) throws -> [UInt8] {
            try coders.encode(image, as: format.with { $0.quality = quality })
        }
        let quality = try required(try (1...95).first { try file($0) == small })
        try expect(file(quality + 1).count, >, limit)
        // Whichever quality is the last within the limit, it is found.
        let plain = ImageCoders(decoders: [], encoders: [ByteOfQuality()])
        for quality in 1..<80 {
            try expectEqual(plain.encode(image, as: .jpeg().limited(toByteCount: quality)).count, quality)
        }
        // A limit that no quality reaches gives the smallest file; formats without a quality have one file.
        let tiny = try Self.noise(16)
        let least = format.with { $0.quality = 1 }
        for limit in [Int.min, -1, 0, 1] {
            for (format, expected) in [(format, least), (.png, .png), (.gif, .gif), (.losslessWebP, .losslessWebP)] {
                let bytes = try coders.encode(tiny, as: format.limited(toByteCount: limit))
                try expectEqual(bytes, coders.encode(tiny, as: expected), "\(format.key) of \(limit)")
            }
        }
    }

    @Test(arguments: [EncodedFormat.jpeg(), .png, .gif, .webp()])
    func `a larger picture is fitted into the largest size, a smaller one stays`(format: EncodedFormat) throws {
        let image = ImageFactory.animation(width: 60, height: 40, frames: 2, seed: 1)
        func size(_ width: Int, _ height: Int) throws -> PixelSize {
            let bytes = try coders.encode(image, as: format.limited(to: PixelSize(width: width, height: height)))
            return try coders.properties(of: bytes).size
        }
        try expectEqual(size(30, 30), PixelSize(width: 30, height: 20))
        try expectEqual(size(100, 100), PixelSize(width: 60, height: 40))
        expectImageError { try size(0, 10) }
    }

    @Test func `effort and near-lossless coding change a WebP's size`() throws {
        let image = ImageFactory.picture(width: 120, height: 90, seed: 3)
        let fast = try coders.encode(image, as: .webp(effort: 0))
        let small = try coders.encode(image, as: .webp(effort: 6))
        expect(small.count, <, fast.count)
        let noise = try Self.noise(64)
        func lossless(_ near: Int) throws -> Int {
            let options = EncodeOptions(isLossless: true, nearLossless: near)
            return try coders.encode(noise, as: EncodedFormat(.webp, options: options)).count
        }
        try expect(lossless(40), <, lossless(100))
    }

    @Test func `the estimate of memory covers a resize and a search`() {
        let image = ImageFactory.picture(width: 60, height: 40, seed: 1)
        let plain = coders.encodingByteCount(of: image, as: .png)
        let box = PixelSize(width: 30, height: 30)
        expectEqual(coders.encodingByteCount(of: image, as: .png.limited(to: box)), plain + 30 * 20 * 4)
        expectEqual(coders.encodingByteCount(of: image, as: .png.limited(toByteCount: 99)), plain + 99)
        expectEqual(coders.encodingByteCount(of: image, as: .png.limited(toByteCount: .max)), .max)
        let animation = ImageFactory.animation(width: 60, height: 40, frames: 3, seed: 1)
        let all = coders.encodingByteCount(of: animation, as: .gif)
        expectEqual(coders.encodingByteCount(of: animation, as: .gif.limited(to: box)), all + 30 * 20 * 4 * 3)
    }

    @Test func `a file of the first frame has the first one that is wanted`() throws {
        let bytes = try ImageFactory.encodedAnimation(width: 20, height: 16, frames: 4, seed: 2, as: .losslessWebP)
        let format = EncodedFormat(.png, options: EncodeOptions(firstFrameOnly: true))
        let options = DecodeOptions(frames: .run(2..<4))
        let file = try coders.decode(coders.transcode(bytes, as: format, options: options))
        try expectEqual(file.pixels, coders.decode(bytes).frame(at: 2).pixels)
    }
}

/// Writes a byte for each step of the quality.
private struct ByteOfQuality: ImageEncoding {
    func canEncode(_ format: ImageFormat) -> Bool { true }
    func encode(_ image: DecodedImage, as format: EncodedFormat) -> [UInt8] {
        [UInt8](repeating: 0, count: format.options.quality)
    }
}
