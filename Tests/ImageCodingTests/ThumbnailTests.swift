// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// A resize that is part of the decode gives the size of a resize afterwards, and nearly its pixels.
@Suite("Thumbnails")
struct ThumbnailTests {
    private static let modes: [ResizeTransformer.Mode] = [.fit, .fill, .stretch]
    private static let boxes = [(32, 32), (45, 20), (17, 60), (200, 10), (350, 350)].map {
        PixelSize(width: $0.0, height: $0.1)
    }
    private static let formats: [EncodedFormat] = [.jpeg(quality: 90), .webp(quality: 90)]

    /// The lowest value over all cases here is 42 dB, of a field of flowers, where the picture is drawn at one and a
    /// half times the result.
    private static let decibels = 41.0

    @Test func `rows that are not there are transparent in a thumbnail, which says so`() throws {
        let formats: [EncodedFormat] = [.png, .gif]
        let files = try formats.map { try ImageFactory.encoded(width: 40, height: 30, seed: 1, as: $0) }
        for file in files + [ImageFactory.bitmapFile(width: 40, height: 30, seed: 1)] {
            let options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 20, height: 15)), failOn: .never)
            let image = try ImageCoders.default.decode(Array(file.dropLast(file.count / 2)), options: options)
            expectAll(!Bitmap.isOpaque(image.pixels), image.hasAlpha)
        }
    }

    @Test(arguments: modes, formats)
    func `a thumbnail is like the whole picture resized`(mode: ResizeTransformer.Mode, format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 321, height: 215, seed: 21, as: format)
        let whole = try ImageCoders.default.decode(bytes)
        for box in Self.boxes {
            for allowsEnlarging in [false, true] {
                let resize = ResizeTransformer(size: box, mode: mode, allowsEnlarging: allowsEnlarging)
                let thumbnail = try ImageCoders.default.decode(bytes, options: DecodeOptions(thumbnail: resize))
                let expected = try resize.transform(whole)
                expectEqual(thumbnail.size, expected.size)
                let psnr = PixelComparison(thumbnail.frames[0].pixels, expected.frames[0].pixels).psnr
                expect(psnr, >=, Self.decibels, "\(resize.key)")
            }
        }
    }

    @Test(arguments: 1...8, modes)
    func `a thumbnail of a turned picture shows the same part`(orientation: Int, mode: ResizeTransformer.Mode) throws {
        let bytes = try Fixture.named("orientation\(orientation).jpg").bytes
        let whole = try ImageCoders.default.decode(bytes)
        for box in [(9, 9), (10, 10), (5, 12), (14, 3)].map({ PixelSize(width: $0.0, height: $0.1) }) {
            let resize = ResizeTransformer(size: box, mode: mode)
            let thumbnail = try ImageCoders.default.decode(bytes, options: DecodeOptions(thumbnail: resize))
            let expected = try resize.transform(whole)
            expectEqual(thumbnail.size, expected.size)
            expect(PixelComparison(thumbnail.frames[0].pixels, expected.frames[0].pixels).psnr, >, 30)
        }
    }

    @Test func `the smallest size with one and a half times the result is drawn, in every mode`() throws {
        let header = try JPEGHeader(
            ImageFactory.encoded(width: 800, height: 600, seed: 1, as: .jpeg()), DecodeOptions())
        for mode in Self.modes {
            for (width, height, divisor) in [(50, 37, 8), (100, 100, 4), (200, 150, 2), (400, 300, 1)] {
                let resize = ResizeTransformer(size: PixelSize(width: width, height: height), mode: mode)
                let plan = JPEGCoder.plan(for: header, DecodeOptions(thumbnail: resize))
                expectEqual(plan.denominator, divisor, "\(resize.key)")
            }
        }
        let stored = PixelSize(width: 3_072, height: 3_072)
        for (side, divisor) in [(256, 8), (257, 4), (512, 4), (1_024, 2), (1_025, 1)] {
            let options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: side, height: side)))
            let plan = FramePlan(stored, options, denominators: [8, 4, 2])
            expectEqual(plan.denominator, divisor, "\(side)")
        }
    }

    /// The bytes with the first frame's rows in four passes, or not.
    static func withInterlacing(_ bytes: [UInt8]) throws -> [[UInt8]] {
        let work = DecodingWork(limits: .default, byteCount: bytes.count)
        let outline = try GIFOutline(bytes, frameLimit: 1, recordsPlaces: true, work: work)
        var offset = try required(outline.places.first).start
        while bytes[offset] == 0x21 {
            offset += 2
            while bytes[offset] != 0 { offset += Int(bytes[offset]) + 1 }
            offset += 1
        }
        var other = bytes
        other[offset + 9] ^= 0x40
        return [bytes, other]
    }

    @Test(arguments: Fixture.all.filter { $0.format == .gif }, [DamagePolicy.never, .truncated, .anyDamage])
    func `one frame of a GIF goes row by row into the resampler, and shows what its screen would`(
        fixture: Fixture, failOn: DamagePolicy
    ) throws {
        let resize = ResizeTransformer(size: PixelSize(width: 7, height: 5), mode: .fill)
        for bytes in try Self.withInterlacing(fixture.bytes) {
            for length in [bytes.count, bytes.count - 1, bytes.count * 3 / 4, bytes.count / 2] {
                for firstFrameOnly in [true, false] {
                    let file = Array(bytes.prefix(length))
                    var options = DecodeOptions(firstFrameOnly: firstFrameOnly, failOn: failOn)
                    let expected = Result { try ImageCoders.default.decode(file, options: options) }
                    options.thumbnail = resize
                    switch (expected, Result { try ImageCoders.default.decode(file, options: options) }) {
                    case (.success(let expected), .success(let thumbnail)):
                        let resized = try resize.transform(expected)
                        expectEqual(thumbnail.frames.map(\.pixels), resized.frames.map(\.pixels))
                        expectEqual(thumbnail.hasAlpha, resized.hasAlpha)
                        expectEqual(thumbnail.damage, resized.damage)
                    case (.failure(let expected as ImageError), .failure(let failure as ImageError)):
                        expectEqual(failure.code, expected.code)
                    case (let expected, let thumbnail): Issue.record("\(thumbnail) in place of \(expected)")
                    }
                }
            }
        }
    }

    @Test func `a thumbnail of a GIF takes some rows of its screen, and the indexes of an interlaced one`() throws {
        let still = try ImageFactory.encoded(width: 800, height: 600, seed: 3, as: .gif)
        let options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 80, height: 60)))
        let costs = try Self.withInterlacing(still).map {
            try ImageCoders.default.decodingByteCount(of: $0, options: options)
        }
        expect(costs[0], <, 800 * 600 * 4 / 3)
        expectEqual(costs[1], costs[0] + 800 * 600 + 65_536)
    }

    @Test func `a window off the middle is found in a turned picture`() {
        let stored = PixelSize(width: 40, height: 30)
        for value in 1...8 {
            let orientation = ImageOrientation(rawValue: value)!
            let upright = stored.turned(orientation)
            let pixel = (x: 7, y: 4)
            let turn = Turn(orientation, of: stored)
            let place = turn.start + pixel.x * turn.right + pixel.y * turn.down
            let shown = ResamplingWindow(
                x: Double(place % upright.width), y: Double(place / upright.width), width: 1, height: 1)
            let expected = ResamplingWindow(x: 7, y: 4, width: 1, height: 1)
            expectEqual(shown.stored(orientation, of: stored), expected)
        }
    }

    @Test func `a decoder that draws the whole picture is finished by the list of coders`() throws {
        struct Whole: ImageDecoding {
            func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
            func properties(of bytes: [UInt8], options: DecodeOptions) -> ImageProperties {
                ImageProperties(format: .png, width: 40, height: 30, frameCount: 1, hasAlpha: false)
            }
            func decode(_ bytes: [UInt8], options: DecodeOptions) -> DecodedImage {
                ImageFactory.picture(width: 40, height: 30, seed: 1)
            }
        }
        let coders = ImageCoders(decoders: [Whole()], encoders: [])
        let box = PixelSize(width: 20, height: 20)
        let fill = DecodeOptions(thumbnail: .resize(to: box, mode: .fill))
        try expectEqual(coders.decode([], options: fill).size, box)
        let enlarging = ResizeTransformer(size: PixelSize(width: 80, height: 80), allowsEnlarging: true)
        try expectEqual(coders.decode([], options: DecodeOptions(thumbnail: enlarging)).height, 60)
        let more = try coders.decodingByteCount(of: [], options: DecodeOptions(thumbnail: enlarging))
        try expectEqual(more, coders.decodingByteCount(of: []) + 80 * 60 * 4)
    }

    @Test func `a leading resize is left to the decoder, and one that may enlarge is applied again`() {
        let box = PixelSize(width: 30, height: 20)
        let (fill, grow) = (
            ResizeTransformer(size: box, mode: .fill), ResizeTransformer(size: box, allowsEnlarging: true)
        )
        let crop = CropTransformer(PixelRect(x: 0, y: 0, width: 5, height: 5))
        func leading(_ transformers: [any ImageTransforming]) -> [String] {
            let (thumbnail, rest) = ResizeTransformer.leading(transformers)
            return [thumbnail?.key ?? "none"] + rest.map(\.key)
        }
        expectEqual(leading([]), ["none"])
        expectEqual(leading([fill, crop]), [fill.key, crop.key])
        expectEqual(leading([crop, fill]), ["none", crop.key, fill.key])
        expectEqual(leading([grow, crop]), ["resize(30x20,fit)", grow.key, crop.key])
        expectEqual(leading([.pipeline([fill, crop]), crop]), [fill.key, crop.key, crop.key])
        expectEqual(leading([.pipeline([crop]), fill]), ["none", crop.key, fill.key])
        expectEqual(leading([.resize(to: PixelSize(width: 0, height: 4))]), ["none", "resize(0x4,fit)"])
    }
}
