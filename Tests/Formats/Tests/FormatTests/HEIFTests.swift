// SPDX-License-Identifier: MIT
import Testing

@testable import ImageCoding

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
        // What libheif takes is that of the coded picture, beside a small bitmap.
        #expect(try ImageCoders.default.decodingByteCount(of: bytes) > 24 << 20 + 301 * 200 * 6)
    }

    /// A file with the tables of a track behind it.
    private static func withTrack(
        _ still: [UInt8], samples: UInt8, handler: String = "pict", table: String = "stsz"
    ) -> [UInt8] {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
        }
        let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
        let sizes = box(table, zeros(8) + [0, 0, 0, samples])
        let media = box("hdlr", zeros(8) + Array(handler.utf8) + zeros(13)) + box("minf", box("stbl", sizes))
        return still + box("moov", box("trak", box("mdia", media)))
    }

    @Test(arguments: ["picture-301.avif", "picture-301.heic"])
    func `an animation is an error, and a still where its first frame alone is wanted`(name: String) throws {
        let picture = try #require(Picture.named(name))
        let animation = HEIFTests.withTrack(picture.bytes, samples: 3)
        let compact = HEIFTests.withTrack(picture.bytes, samples: 3, table: "stz2")
        for file in [animation, compact] {
            #expect(try ImageCoders.default.properties(of: file).frameCount == 3)
        }
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
        #expect(code(of: picture.bytes, ImageLimits(maximumPixelCount: 60_199)) == .tooLarge)
        let byteCount = try ImageCoders.default.decodingByteCount(of: picture.bytes)
        #expect(code(of: picture.bytes, ImageLimits(maximumByteCount: byteCount - 1)) == .memoryLimitExceeded)
        #expect(code(of: picture.bytes, ImageLimits(maximumDrawnPixelCount: 60_199)) == .workLimitExceeded)
        #expect(code(of: Array(picture.bytes.dropLast(500))) == .truncated)
        let limits = ImageLimits(
            maximumPixelCount: 304 * 200, maximumSide: 304, maximumByteCount: byteCount,
            maximumDrawnPixelCount: 60_200)
        let image = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(limits: limits))
        #expect(image.pixels == picture.pixels)
    }

    @Test
    func `memory counts alpha, and samples of more than eight bits twice`() throws {
        func byteCount(_ name: String) throws -> Int {
            try ImageCoders.default.decodingByteCount(of: #require(Picture.named(name)).bytes)
        }
        // Two copies of a sample of alpha for each pixel that is coded.
        #expect(try byteCount("picture-alpha-64.heic") - byteCount("picture-64.heic") == 64 * 64 * 2)
        // Two copies of three samples, and the bitmap that they become.
        #expect(try byteCount("ten-bits.heic") - byteCount("turned.heic") == 120 * 80 * (2 * 3 + 4))
    }

    @Test
    func `a file that names no coding is read`() throws {
        let picture = try #require(Picture.named("picture-64.heic"))
        // The brands: the one of the file, and those that it is compatible with.
        var bytes = picture.bytes
        bytes.replaceSubrange(8..<12, with: "mif1".utf8)
        bytes.replaceSubrange(20..<24, with: "miaf".utf8)
        #expect(try ImageCoders.default.properties(of: bytes).format == .heif)
        #expect(try ImageCoders.default.decode(bytes).pixels == picture.pixels)
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
        // The primaries and the curve of sRGB, by numbers.
        let colours = try #require(usual.firstRange(of: Array("colrnclx".utf8)))
        #expect(Array(usual[colours.upperBound...].prefix(7)) == [0, 1, 0, 13, 0, 6, 0x80])
        guard image.width > 100 else { return }
        let best = try encode(EncodeOptions(quality: 95))
        #expect(best.count > usual.count)
        let closer = try ImageCoders.default.decode(best).pixels
        #expect(similarity(closer, image.pixels) > similarity(decoded.pixels, image.pixels))
        #expect(try encode(EncodeOptions(effort: 0)) != usual)
        #expect(try encode(EncodeOptions(maximumByteCount: usual.count * 2 / 3)).count <= usual.count * 2 / 3)
    }

    @Test
    func `an AVIF has at most 65,536 pixels a side`() throws {
        for size in [PixelSize(width: 65_537, height: 1), PixelSize(width: 1, height: 65_537)] {
            let image = DecodedImage(size, pixels: [UInt8](repeating: 255, count: 65_537 * 4), hasAlpha: false)
            let error = #expect(throws: ImageError.self) {
                try ImageCoders.default.encode(image, as: EncodedFormat(.avif))
            }
            #expect(error?.code == .tooLarge)
        }
    }
}
