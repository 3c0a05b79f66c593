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
        // Tag 259, a short, one of it: the value follows.
        let tag: [UInt8] = [0x03, 0x01, 3, 0, 1, 0, 0, 0]
        let at = try #require(picture.bytes.indices.dropLast(8).first { picture.bytes[$0..<$0 + 8].elementsEqual(tag) })
        var bytes = picture.bytes
        for compression in [6, 0x78, 0x99] {
            (bytes[at + 8], bytes[at + 9]) = (UInt8(compression), compression == 6 ? 0 : 0x87)
            #expect(code(of: bytes) == .unsupportedFormat)
        }
        let byteCount = try ImageCoders.default.decodingByteCount(of: picture.bytes)
        #expect(code(of: picture.bytes, ImageLimits(maximumPixelCount: 60_199)) == .tooLarge)
        #expect(code(of: picture.bytes, ImageLimits(maximumSide: 300)) == .tooLarge)
        #expect(code(of: picture.bytes, ImageLimits(maximumByteCount: byteCount - 1)) == .memoryLimitExceeded)
        #expect(code(of: picture.bytes, ImageLimits(maximumDrawnPixelCount: 60_199)) == .workLimitExceeded)
        let enough = ImageLimits(
            maximumPixelCount: 60_200, maximumSide: 301, maximumByteCount: byteCount, maximumDrawnPixelCount: 60_200)
        let image = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(limits: enough))
        #expect(image.pixels == picture.pixels)
    }

    @Test
    func `memory counts a strip of each plane, and the places of all strips`() throws {
        func byteCount(_ name: String) throws -> Int {
            try ImageCoders.default.decodingByteCount(of: #require(Picture.named(name)).bytes)
        }
        // The bitmap, a strip and its planes, two numbers of eight bytes for each strip, and what the library has.
        #expect(try byteCount("plane-strips-301.tiff") == 60_200 * 4 + 60_200 * 4 + 3 * 16 + (1 << 19))
        #expect(try byteCount("strips-301.tiff") == 60_200 * 4 + 301 * 3 * 5 * 2 + 40 * 16 + (1 << 19))
    }

    @Test
    func `a strip that is broken is told from one that is missing, and both are clear`() throws {
        let picture = try #require(Picture.named("strips-301.tiff"))
        var bytes = picture.bytes
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        // Where the strips are, numbers of four bytes. They have five rows, of which twenty are drawn at once.
        let entry = (number(4)..<bytes.count - 12).first { bytes[$0..<$0 + 4].elementsEqual([0x11, 0x01, 4, 0]) }
        let places = number(try #require(entry) + 8)
        let tenth = number(places + 9 * 4)
        func clear(_ rows: Range<Int>) -> [UInt8] {
            var pixels = picture.pixels
            for index in rows.lowerBound * 301 * 4..<rows.upperBound * 301 * 4 { pixels[index] = 0 }
            return pixels
        }
        for index in tenth..<tenth + 40 { bytes[index] = 0xAA }
        let broken = try ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .never))
        #expect(broken.damage == [.corruptData, .missingPixels])
        #expect(broken.pixels == clear(40..<60))
        #expect(code(of: bytes) == .malformed)
        // The first one is beyond the end.
        bytes[places + 3] = 0x10
        let both = try ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .never))
        #expect(both.damage == [.corruptData, .missingPixels, .missingEnd])
        #expect(code(of: bytes) == .truncated)
    }

    @Test
    func `what the library warns of is damage in a strip, and none in a directory`() throws {
        let picture = try #require(Picture.named("1-group3-301.tiff"))
        var fax = picture.bytes
        for index in 5_000..<5_040 { fax[index] ^= 0x10 }
        #expect(try ImageCoders.default.decode(fax).damage == .corruptData)
        #expect(code(of: fax, failOn: .anyDamage) == .malformed)
        let other = try #require(Picture.named("RGB-None-301.tiff"))
        // The entry of the planes has the number of no tag.
        let tag: [UInt8] = [0x1C, 0x01, 3, 0, 1, 0, 0, 0]
        let at = try #require(other.bytes.indices.dropLast(8).last { other.bytes[$0..<$0 + 8].elementsEqual(tag) })
        var bytes = other.bytes
        bytes[at + 1] = 0xF0
        let image = try ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .anyDamage))
        #expect(image.damage == [])
        #expect(image.pixels == other.pixels)
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
