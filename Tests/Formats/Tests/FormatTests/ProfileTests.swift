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
    func `a raised limit lets a large profile of a TIFF through`() throws {
        let picture = try #require(Picture.named("p3.tiff.colours"))
        var bytes = picture.bytes
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        func write(_ number: Int, at offset: Int) {
            for index in 0..<4 { bytes[offset + index] = UInt8(number >> (index * 8) & 0xFF) }
        }
        // The entry of the profile: the number of its tag and its type, little-endian, its length, and its place.
        let entry = try #require((0..<bytes.count - 12).first { bytes[$0..<$0 + 4].elementsEqual([0x73, 0x87, 7, 0]) })
        let profile = bytes[number(entry + 8)..<number(entry + 8) + number(entry + 4)]
        let length = 3 << 20
        write(length, at: entry + 4)
        write(bytes.count, at: entry + 8)
        bytes += profile + [UInt8](repeating: 0, count: length - profile.count)
        func most(_ limit: Int) throws -> Int {
            let options = DecodeOptions(limits: ImageLimits(maximumMetadataByteCount: limit))
            let image = try ImageCoders.default.decode(bytes, options: options)
            return zip(image.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
        }
        #expect(try most(length - 1) > 16)
        #expect(try most(length) <= 4)
    }

    @Test
    func `the profile of a TIFF is found beside a great many strips, for which there must be memory`() throws {
        let picture = try #require(Picture.named("p3.tiff.colours"))
        let profile = try #require(MetadataBlocks(of: picture.bytes).profile)
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> ($0 * 8) & 0xFF) } }
        // Each strip is a row of a pixel. All are in one place, with eight bytes: two tables that are the same.
        let count = 200_000
        let table = [[UInt8]](repeating: bytes(8), count: count).flatMap { $0 }
        let start = 16
        let (long, short, opaque) = (4, 3, 7)
        let directory = [
            (256, long, 1, 1), (257, long, 1, count), (258, short, 1, 8), (259, short, 1, 1), (262, short, 1, 1),
            (273, long, count, start), (277, short, 1, 1), (278, long, 1, 1), (279, long, count, start),
            (34_675, opaque, profile.count, start + table.count),
        ]
        let entries = directory.flatMap { tag, type, length, value in
            bytes(tag | type << 16) + bytes(length) + bytes(value)
        }
        var file: [UInt8] = [0x49, 0x49, 42, 0] + bytes(start + table.count + profile.count)
        file += [UInt8](repeating: 0, count: 8) + table + profile
        file += [UInt8(directory.count), 0] + entries + bytes(0)
        #expect(MetadataBlocks(of: file).profile == profile)
        #expect(code(of: file, ImageLimits(maximumByteCount: 1 << 20)) == .tooLarge)
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
        #expect(try decodeDamaged(pictures, rounds: 120, limits: .default) > 30)
    }
}
