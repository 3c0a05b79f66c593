// SPDX-License-Identifier: MIT
import ImageCoding
import Testing

@Suite
struct TIFFTests {
    @Test
    func `every kind of TIFF has the pixels that tiff2rgba draws`() throws {
        let pictures = Picture.all("tiff")
        try #require(pictures.count > 100)
        for picture in pictures {
            let image = try ImageCoders.default.decode(picture.bytes)
            #expect(image.size == picture.size, "\(picture.name)")
            #expect(similarity(image.pixels, picture.pixels) == .infinity, "\(picture.name)")
            #expect(image.hasAlpha == !picture.isOpaque, "\(picture.name)")
            let properties = try ImageCoders.default.properties(of: picture.bytes)
            #expect(properties.size == picture.size, "\(picture.name)")
            #expect(properties.isLossless == !picture.name.contains("jpeg"), "\(picture.name)")
        }
    }

    @Test
    func `strips that are missing are an error or transparent`() throws {
        let picture = try #require(Picture.named("strips-301.tiff"))
        // libtiff writes the directory at the end: the places of the strips stay, their bytes are gone.
        let directory = picture.bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        var bytes = picture.bytes
        for index in directory - directory / 2..<directory { bytes[index] = 0xAA }
        let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(bytes) }
        #expect(error?.code == .malformed)
        let image = try ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .never))
        #expect(image.damage.contains(.missingPixels))
        #expect(image.hasAlpha)
        let first = 301 * 4 * 5
        #expect(similarity(Array(image.pixels[..<first]), Array(picture.pixels[..<first])) == .infinity)
        #expect(Array(image.pixels.suffix(4)) == [0, 0, 0, 0])
        let cut = #expect(throws: ImageError.self) { try ImageCoders.default.decode(Array(bytes.dropLast(40))) }
        #expect(cut?.code == .truncated)
    }

    @Test
    func `rare compressions and limits have codes of their own`() throws {
        let picture = try #require(Picture.named("RGB-None-301.tiff"))
        func code(_ bytes: [UInt8], _ limits: ImageLimits = .default) -> ImageError.Code? {
            (#expect(throws: ImageError.self) {
                try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: limits))
            })?.code
        }
        // Tag 259, a short, one of it: the value follows.
        let tag: [UInt8] = [0x03, 0x01, 3, 0, 1, 0, 0, 0]
        let at = try #require(picture.bytes.indices.dropLast(8).first { picture.bytes[$0..<$0 + 8].elementsEqual(tag) })
        var bytes = picture.bytes
        for compression in [6, 0x78, 0x99] {
            (bytes[at + 8], bytes[at + 9]) = (UInt8(compression), compression == 6 ? 0 : 0x87)
            #expect(code(bytes) == .unsupportedFormat)
        }
        #expect(code(picture.bytes, ImageLimits(maximumPixelCount: 60_199)) == .tooLarge)
        #expect(code(picture.bytes, ImageLimits(maximumSide: 300)) == .tooLarge)
        #expect(code(picture.bytes, ImageLimits(maximumByteCount: 240_000)) == .memoryLimitExceeded)
        #expect(code(picture.bytes, ImageLimits(maximumDrawnPixelCount: 60_199)) == .workLimitExceeded)
    }

    @Test
    func `a side or a strip of any announced length takes no memory`() throws {
        let picture = try #require(Picture.named("strips-301.tiff"))
        try resetPeak()
        let before = try peakByteCount()
        for tag in [0x00, 0x01, 0x16] as [UInt8] {
            let entry: [UInt8] = [tag, 0x01]
            let place = picture.bytes.indices.dropLast(12).last {
                picture.bytes[$0..<$0 + 2].elementsEqual(entry) && picture.bytes[$0 + 4..<$0 + 8] == [1, 0, 0, 0]
            }
            var bytes = picture.bytes
            let at = try #require(place)
            (bytes[at + 2], bytes[at + 8], bytes[at + 9], bytes[at + 10], bytes[at + 11]) = (4, 0xF0, 0xFF, 0xFF, 0x7F)
            _ = try? ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .never))
        }
        #expect(try peakByteCount() - before < 40 << 20)
    }

    @Test
    func `damaged files are pictures or typed errors`() throws {
        let pictures = Picture.all("tiff").filter { $0.size.width < 70 }
        let limits = ImageLimits(maximumPixelCount: 4_000_000, maximumByteCount: 64 << 20)
        #expect(try decodeDamaged(pictures, rounds: 12, limits: limits) > 100)
    }
}
