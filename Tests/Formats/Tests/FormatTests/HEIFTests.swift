// SPDX-License-Identifier: MIT
import ImageCoding
import Testing

@Suite
struct HEIFTests {
    @Test
    func `HEIC and AVIF have the pixels that heif-convert draws`() throws {
        let pictures = Picture.all("heic") + Picture.all("avif")
        try #require(pictures.count == 15)
        for picture in pictures {
            let image = try ImageCoders.default.decode(picture.bytes)
            #expect(image.size == picture.size, "\(picture.name)")
            let decibels = similarity(image.pixels, picture.pixels)
            // Ten bits are rounded in different places.
            #expect(decibels > (picture.name.hasPrefix("ten") ? 45 : .greatestFiniteMagnitude), "\(picture.name)")
            #expect(image.hasAlpha == !picture.isOpaque, "\(picture.name)")
            let properties = try ImageCoders.default.properties(of: picture.bytes)
            #expect(properties.size == picture.size, "\(picture.name)")
            #expect(picture.name.hasSuffix(properties.format.name), "\(picture.name)")
        }
    }

    @Test(arguments: ["picture-301.heic", "picture-alpha-301.heic", "picture-301.avif", "picture-alpha-301.avif"])
    func `a picture that is larger than it says is refused before it is decoded`(name: String) throws {
        let picture = try #require(Picture.named(name))
        var bytes = picture.bytes
        let places = { (name: String) in
            bytes.indices.dropLast(40).filter { bytes[$0..<$0 + 4].elementsEqual(name.utf8) }
        }
        try #require(!places("ispe").isEmpty)
        // The property of the size: two numbers of four bytes after the version and the flags.
        for place in places("ispe") {
            bytes.replaceSubrange(place + 8..<place + 16, with: [0, 0, 0, 40, 0, 0, 0, 30])
        }
        // The window, which newer encoders add where a side is odd: its size and the offset of its centre, as
        // fractions.
        for place in places("clap") {
            let numbers: [UInt8] = [40, 1, 30, 1, 0, 1, 0, 1]
            bytes.replaceSubrange(place + 4..<place + 36, with: numbers.flatMap { [0, 0, 0, $0] })
        }
        #expect(try ImageCoders.default.properties(of: bytes).size == PixelSize(width: 40, height: 30))
        let options = DecodeOptions(limits: ImageLimits(maximumPixelCount: 50_000))
        let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(bytes, options: options) }
        #expect(error?.code == .tooLarge)
        #expect(try ImageCoders.default.decodingByteCount(of: bytes) > 301 * 200 * 6)
    }

    /// A file with the tables of a track behind it.
    private static func withTrack(_ still: [UInt8], samples: UInt8, handler: String = "pict") -> [UInt8] {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
        }
        let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
        let sizes = box("stsz", zeros(8) + [0, 0, 0, samples])
        let media = box("hdlr", zeros(8) + Array(handler.utf8) + zeros(13)) + box("minf", box("stbl", sizes))
        return still + box("moov", box("trak", box("mdia", media)))
    }

    @Test(arguments: ["picture-301.avif", "picture-301.heic"])
    func `an animation is an error, and a still where its first frame alone is wanted`(name: String) throws {
        let picture = try #require(Picture.named(name))
        let animation = HEIFTests.withTrack(picture.bytes, samples: 3)
        #expect(try ImageCoders.default.properties(of: animation).frameCount == 3)
        for options in [DecodeOptions(), DecodeOptions(framesOnDemand: true), DecodeOptions(failOn: .never)] {
            for run in [
                { _ = try ImageCoders.default.decode(animation, options: options) },
                { _ = try ImageCoders.default.decodingByteCount(of: animation, options: options) },
            ] {
                let error = #expect(throws: ImageError.self) { try run() }
                #expect(error?.code == .unsupportedFormat)
                #expect(error?.message.contains("3 frames") == true)
            }
        }
        let still = try ImageCoders.default.decode(picture.bytes)
        let first = try ImageCoders.default.decode(animation, options: DecodeOptions(firstFrameOnly: true))
        #expect(first.pixels == still.pixels)
        #expect(!first.isAnimated)
        // One picture is no animation, and a film beside the picture is none of it.
        for other in [(1, "pict"), (3, "vide"), (3, "auxv")] as [(UInt8, String)] {
            let bytes = HEIFTests.withTrack(picture.bytes, samples: other.0, handler: other.1)
            #expect(try ImageCoders.default.decode(bytes).pixels == still.pixels)
        }
        // Tables that are cut off.
        for length in stride(from: picture.bytes.count, to: animation.count, by: 3) {
            _ = try? ImageCoders.default.decode(Array(animation.prefix(length)))
        }
    }

    @Test
    func `limits have codes of their own`() throws {
        let picture = try #require(Picture.named("picture-301.heic"))
        func code(_ limits: ImageLimits) -> ImageError.Code? {
            (#expect(throws: ImageError.self) {
                try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(limits: limits))
            })?.code
        }
        #expect(code(ImageLimits(maximumPixelCount: 60_199)) == .tooLarge)
        #expect(code(ImageLimits(maximumByteCount: 8 << 20)) == .memoryLimitExceeded)
        #expect(code(ImageLimits(maximumDrawnPixelCount: 60_199)) == .workLimitExceeded)
        let cut = #expect(throws: ImageError.self) {
            try ImageCoders.default.decode(Array(picture.bytes.dropLast(500)))
        }
        #expect([.truncated, .malformed].contains(cut?.code))
    }

    @Test
    func `damaged files are pictures or typed errors, in little memory`() throws {
        let pictures = (Picture.all("heic") + Picture.all("avif")).filter { $0.size.width < 70 }
        try #require(!pictures.isEmpty)
        try resetPeak()
        let before = try peakByteCount()
        let limits = ImageLimits(maximumPixelCount: 1_000_000, maximumByteCount: 64 << 20)
        _ = try decodeDamaged(pictures, rounds: 40, limits: limits)
        #expect(try peakByteCount() - before < 96 << 20)
    }

    @Test(arguments: ["RGB-None-301.tiff", "RGBA-None-301.tiff", "RGB-None-17.tiff", "RGB-None-1.tiff"])
    func `an AVIF is written by quality, effort and size`(name: String) throws {
        let picture = try #require(Picture.named(name))
        let image = try ImageCoders.default.decode(picture.bytes)
        func encode(_ options: EncodeOptions) throws -> [UInt8] {
            try ImageCoders.default.encode(image, as: EncodedFormat(.avif, options: options))
        }
        let usual = try encode(EncodeOptions())
        let decoded = try ImageCoders.default.decode(usual)
        #expect(ImageFormat(sniffing: usual) == .avif)
        #expect(decoded.hasAlpha == image.hasAlpha)
        #expect(similarity(decoded.pixels, image.pixels) > 26)
        guard image.width > 100 else { return }
        let best = try encode(EncodeOptions(quality: 95))
        #expect(best.count > usual.count)
        let closer = try ImageCoders.default.decode(best).pixels
        #expect(similarity(closer, image.pixels) > similarity(decoded.pixels, image.pixels))
        #expect(try encode(EncodeOptions(effort: 0)) != usual)
        #expect(try encode(EncodeOptions(maximumByteCount: usual.count * 2 / 3)).count <= usual.count * 2 / 3)
    }
}
