// SPDX-License-Identifier: MIT
import ImageCoding
import Testing

@Suite
struct ProfileTests {
    @Test
    func `pictures with a profile become sRGB, as Little CMS converts them for Pillow`() throws {
        let pictures = Picture.all("profile")
        try #require(pictures.count == 5)
        for picture in pictures {
            let image = try ImageCoders.default.decode(picture.bytes)
            let decibels = similarity(image.pixels, picture.pixels)
            // Colours that are nearly clear lose a step when they are divided by alpha and multiplied again.
            let isExact = !picture.name.contains("RGBA") && !picture.name.contains("jpg")
            #expect(decibels > (isExact ? .greatestFiniteMagnitude : 40), "\(picture.name): \(decibels)")
        }
    }

    @Test
    func `profiles and numbers of TIFF, HEIC, AVIF and JPEG XL become sRGB, too`() throws {
        let pictures = Picture.all("colours")
        try #require(pictures.count == 22)
        for picture in pictures {
            let image = try ImageCoders.default.decode(picture.bytes)
            let pixels = try (0..<image.frameCount).flatMap { try image.frame(at: $0).pixels }
            #expect(pixels.count == picture.pixels.count, "\(picture.name)")
            let most = zip(pixels, picture.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
            #expect(most <= 4, "\(picture.name): \(most)")
            #expect(image.metadata == nil)
            let kept = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(keepsColors: true))
            let isWritable = ["p3", "wide", "adobe"].contains { picture.name.hasPrefix($0) }
            #expect((kept.metadata?.colorProfile.isEmpty == false) == isWritable, "\(picture.name)")
            let properties = try ImageCoders.default.properties(of: picture.bytes)
            #expect(properties.hasAlpha == picture.name.contains("alpha"), "\(picture.name)")
        }
    }

    @Test(arguments: ["p3.tiff", "inks.tiff", "p3.heic", "p3.jxl"])
    func `a profile beyond the limit of metadata is none`(name: String) throws {
        let picture = try #require(Picture.named(name + ".colours"))
        func most(_ limit: Int) throws -> Int {
            let options = DecodeOptions(limits: ImageLimits(maximumMetadataByteCount: limit))
            let image = try ImageCoders.default.decode(picture.bytes, options: options)
            return zip(image.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
        }
        #expect(try most(100) > 16)
        #expect(try most(1 << 20) <= 4)
    }

    @Test
    func `a thumbnail is converted, and its conversion counts`() throws {
        let picture = try #require(Picture.named("wide-RGB.png.profile"))
        let box = ResizeTransformer(size: PixelSize(width: 40, height: 40))
        let thumbnail = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(thumbnail: box))
        let whole = try box.transform(ImageCoders.default.decode(picture.bytes))
        let coder = try #require(ImageCoders.default.decoders.first { $0.canDecode([], format: .png) })
        let plain = try coder.decode(picture.bytes, options: DecodeOptions(thumbnail: box))
        // Which comes first, converting or resizing, changes little.
        #expect(similarity(thumbnail.pixels, whole.pixels) > similarity(plain.pixels, whole.pixels) + 3)
        let ignoring = DecodeOptions(limits: ImageLimits(maximumMetadataByteCount: 100))
        let without = try ImageCoders.default.decode(picture.bytes, options: ignoring)
        #expect(similarity(without.pixels, try coder.decode(picture.bytes, options: ignoring).pixels) == .infinity)
        let byteCount = try ImageCoders.default.decodingByteCount(of: picture.bytes)
        let plainByteCount = try ImageCoders.default.decodingByteCount(of: picture.bytes, options: ignoring)
        #expect(byteCount - plainByteCount >= 120 * 80 * 4)
    }

    @Test
    func `damaged profiles are ignored`() throws {
        let pictures = Picture.all("profile").filter { $0.name.contains("RGB.") }
        #expect(try decodeDamaged(pictures, rounds: 200, limits: .default) > 50)
    }
}
