// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("Memory limit")
struct MemoryLimitTests {
    static let formats: [EncodedFormat] = [.jpeg(), .jpeg(isProgressive: true), .png, .gif, .webp(), .losslessWebP]

    private func cost(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws -> Int {
        try ImageCoders.default.decodingByteCount(of: bytes, options: options)
    }

    @Test(arguments: formats)
    func `a decode above the limit is refused with its own code`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 90, height: 70, seed: 1, as: format)
        let cost = try cost(bytes)
        expect(cost, >=, 90 * 70 * 4)
        let enough = DecodeOptions(limits: ImageLimits(maximumByteCount: cost))
        try expectEqual(ImageCoders.default.decode(bytes, options: enough).width, 90)
        let error = expectImageError(.memoryLimitExceeded) {
            try ImageCoders.default.decode(
                bytes, options: DecodeOptions(limits: ImageLimits(maximumByteCount: cost - 1)))
        }
        expectEqual(error?.message.contains("\(cost)"), true)
        expectEqual(error?.message.contains("\(cost - 1)"), true)
        expectEqual(error?.message.contains("thumbnail"), true)
    }

    @Test func `a progressive JPEG costs its coefficients, in full size for a thumbnail too`() throws {
        let side = 1_600
        let baseline = try ImageFactory.encoded(width: side, height: side, seed: 1, as: .jpeg())
        let progressive = try ImageFactory.encoded(width: side, height: side, seed: 1, as: .jpeg(isProgressive: true))
        // 4:2:0: one and a half samples a pixel of two bytes each.
        let coefficients = side * side * 3
        try expectEqual(cost(progressive) - cost(baseline), coefficients)
        let thumbnail = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 100, height: 100)))
        try expectEqual(cost(progressive, thumbnail) - cost(baseline, thumbnail), coefficients)
        // So does a file of several scans that is not progressive: its first one has one component of three.
        var parted = baseline
        let scan = try required(parted.indices.dropLast(5).last { parted[$0...].starts(with: [0xFF, 0xDA]) })
        parted[scan + 4] = 1
        try expectEqual(cost(parted) - cost(baseline), coefficients)
        // Drawn at an eighth.
        try expect(cost(baseline, thumbnail), <, cost(baseline) / 4)
    }

    @Test(arguments: [EncodedFormat.gif, .webp(), .losslessWebP])
    func `every frame that is kept costs its pixels`(format: EncodedFormat) throws {
        let (width, height) = (120, 90)
        func cost(_ frames: Int, _ options: DecodeOptions = DecodeOptions()) throws -> Int {
            // Plain frames, because what lossless WebP takes beside its pixels depends on them.
            let drawn = (0..<frames).map { index in
                let pixel: [UInt8] = [UInt8(20 * index), 90, 160, 255]
                return DecodedImage.Frame(
                    pixels: [[UInt8]](repeating: pixel, count: width * height).flatMap { $0 },
                    duration: .milliseconds(100))
            }
            let image = try DecodedImage(width: width, height: height, frames: drawn, hasAlpha: false)
            return try self.cost(ImageCoders.default.encode(image, as: format), options)
        }
        try expectEqual(cost(9) - cost(4), 5 * width * height * 4)
        let thumbnail = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 12, height: 12)))
        try expectEqual(cost(9, thumbnail) - cost(4, thumbnail), 5 * 12 * 9 * 4)
        try expectEqual(cost(9, DecodeOptions(firstFrameOnly: true)), cost(4, DecodeOptions(firstFrameOnly: true)))
    }

    @Test func `a WebP costs its alpha, that of a frame beside the canvas, and rows of its width`() throws {
        func cost(_ width: Int, _ height: Int, frames: Int = 1, hasAlpha: Bool = false) throws -> Int {
            let image =
                frames > 1
                ? ImageFactory.animation(width: width, height: height, frames: frames, seed: 1, hasAlpha: hasAlpha)
                : ImageFactory.picture(width: width, height: height, seed: 1, hasAlpha: hasAlpha)
            return try self.cost(ImageCoders.default.encode(image, as: .webp()))
        }
        try expectEqual(cost(96, 32) - cost(32, 96), 64 * 256)
        // Lossless alpha is there twice and more, and a frame with alpha is drawn by itself.
        try expect(cost(160, 120, hasAlpha: true) - cost(160, 120), >=, 160 * 120 * 5)
        try expect(cost(160, 120, frames: 2, hasAlpha: true) - cost(160, 120, frames: 2), >=, 160 * 120 * 9)
        // What is larger than 100 million pixels is not drawn small either.
        let limits = ImageLimits(maximumByteCount: .max)
        expectImageError(.tooLarge) {
            try ImageCoders.default.decode(
                ImageFactory.plainWebP(side: 10_001),
                options: DecodeOptions(limits: limits, thumbnail: .resize(to: PixelSize(width: 9, height: 9))))
        }
    }

    @Test func `the default estimate of a decoder is twice the pixels`() throws {
        struct Plain: ImageDecoding {
            let size: PixelSize
            func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
            func properties(of bytes: [UInt8], options: DecodeOptions) -> ImageProperties {
                ImageProperties(format: .png, width: size.width, height: size.height, frameCount: 3, hasAlpha: false)
            }
            func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
                throw ImageError(code: .malformed, message: "Never asked.")
            }
        }
        func cost(_ width: Int, _ height: Int, _ options: DecodeOptions = DecodeOptions()) throws -> Int {
            try ImageCoders(decoders: [Plain(size: PixelSize(width: width, height: height))], encoders: [])
                .decodingByteCount(of: [], options: options)
        }
        try expectEqual(cost(10, 20), 10 * 20 * 4 * 3 * 2)
        try expectEqual(cost(10, 20, DecodeOptions(firstFrameOnly: true)), 10 * 20 * 4 * 2)
        try expectEqual(cost(.max, .max), .max)
        try expectEqual(cost(-5, 5), 0)
    }

    @Test(arguments: formats) func `the estimate of encoding covers the file`(format: EncodedFormat) throws {
        let noise = ImageFactory.randomBytes(count: 64 * 48 * 4, seed: 1)
        let pixels = noise.enumerated().map { $0 % 4 == 3 ? 255 : $1 }
        let image = try DecodedImage(width: 64, height: 48, frames: [.init(pixels: pixels)], hasAlpha: false)
        let clear = try DecodedImage(width: 64, height: 48, frames: [.init(pixels: pixels)], hasAlpha: true)
        let cost = ImageCoders.default.encodingByteCount(of: image, as: format)
        expect(try ImageCoders.default.encode(image, as: format).count * 2, <=, cost)
        expect(ImageCoders.default.encodingByteCount(of: clear, as: format), >=, cost)
        expectEqual(ImageCoders(decoders: [], encoders: []).encodingByteCount(of: image, as: format), 0)
    }

    @Test
    func `a file that no decoder accepts is refused from its beginning, an SVG when its root element must have come`()
        throws
    {
        func code(_ beginning: [UInt8], _ options: DecodeOptions = DecodeOptions()) -> ImageError.Code? {
            do {
                try ImageCoders.default.checkSignature(beginning, options: options)
                return nil
            } catch { return error.code }
        }
        for fixture in Fixture.all {
            for count in [0, 1, 2, 11, 64, 200] { expectNil(code(Array(try fixture.bytes.prefix(count)))) }
        }
        let zeros = [UInt8](repeating: 0, count: ImageFormat.signatureLength)
        expectEqual(code(zeros), .unknownFormat)
        expectNil(code(zeros.dropLast()))
        expectNil(code(zeros, DecodeOptions(declaredFormat: .png)))
        expectEqual(code(zeros, DecodeOptions(declaredFormat: .raw)), .unsupportedFormat)
        expectEqual(
            code(Array("<html><body>an error page of some length, which is no picture</body></html>".utf8)),
            .unknownFormat)
        expectEqual(code(Array("<svg xmlns=".utf8)), .unsupportedFormat)
        expectEqual(code(Array("%PDF-1.7".utf8)), .unsupportedFormat)
        // After a long comment an SVG is not refused before its root element if a decoder reads SVG.
        struct Drawings: ImageDecoding {
            func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .svg }
            func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
                throw ImageError(code: .malformed, message: "Never asked.")
            }
            func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
                throw ImageError(code: .malformed, message: "Never asked.")
            }
        }
        let beginning = Array("<?xml version='1.0'?> <!-- ".utf8) + [UInt8](repeating: 0x20, count: 100)
        let coders = ImageCoders(decoders: [Drawings()], encoders: [])
        try coders.checkSignature(beginning)
        expectImageError { try ImageCoders.default.checkSignature(beginning) }
        expectImageError { try coders.checkSignature([UInt8](repeating: 0x20, count: 70_000)) }
    }

    @Test func `a transformer predicts the size of its result`() throws {
        let box = PixelSize(width: 30, height: 20)
        let transformers: [any ImageTransforming] = [
            .resize(to: box), .resize(to: box, mode: .fill), .resize(to: box, mode: .stretch),
            .resize(to: PixelSize(width: 90, height: 90), allowsEnlarging: true),
            .resize(to: PixelSize(width: 90, height: 90), mode: .fill, allowsEnlarging: true),
            .crop(to: PixelRect(x: 5, y: -5, width: 20, height: 20)),
            .pipeline([.resize(to: box, mode: .fill), .crop(to: PixelRect(x: 0, y: 0, width: 7, height: 70))]),
        ]
        for size in [PixelSize(width: 40, height: 50), PixelSize(width: 64, height: 9)] {
            let image = ImageFactory.picture(width: size.width, height: size.height, seed: 1)
            for transformer in transformers {
                try expectEqual(transformer.resultSize(for: size), transformer.transform(image).size)
            }
        }
        expectEqual(
            CropTransformer(PixelRect(x: 9, y: 9, width: 1, height: 1)).resultSize(for: PixelSize(width: 9, height: 9))
                .width, 0)
    }
}
