// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

@Suite("ImageFormat")
struct ImageFormatTests {
    static let signatures: [(ImageFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
        (.tiff, [0x49, 0x49, 0x2A, 0x00]),
        (.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
        (.tiff, [0x49, 0x49, 0x2B, 0x00, 0x08, 0x00]),
        (.tiff, [0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08]),
        (.webp, Array("RIFF\u{10}\u{0}\u{0}\u{0}WEBP".utf8)),
        (.heic, boxes("heic")), (.heic, boxes("heix")), (.heic, boxes("hevc")), (.heic, boxes("hevx")),
        (.heic, boxes("heim")), (.heic, boxes("heis")), (.heic, boxes("hevm")), (.heic, boxes("hevs")),
        (.heic, boxes("mif1", "heic")),
        (.heif, boxes("mif1")), (.heif, boxes("msf1")),
        (.avif, boxes("avif")), (.avif, boxes("avis")), (.avif, boxes("mif1", "miaf", "avif")),
        (.jpegXL, [0xFF, 0x0A]),
        (.jpegXL, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.pdf, Array("%PDF-".utf8)),
        (.bmp, Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0]),
        (.ico, [0, 0, 1, 0, 1, 0, 16, 16, 0, 0]), (.ico, [0, 0, 2, 0, 3, 0, 0, 0, 16, 0]),
        (.svg, Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)),
        (.svg, Array("<svg>".utf8)), (.svg, Array("<svg/>".utf8)), (.svg, Array("<svg:svg".utf8)),
        (.svg, Array("<svg\t".utf8)), (.svg, Array("<svg\r\n".utf8)),
        (.svg, [0xEF, 0xBB, 0xBF] + Array("<?xml version='1.0'?>\n<!-- <svg> -->\n<!DOCTYPE svg>\n<svg ".utf8)),
    ]

    private static let otherNames: [(ImageFormat, types: String, extensions: String)] = [
        (.jpeg, "jpg pjpeg", "jpeg jpe jfif"), (.png, "x-png apng", "apng"), (.tiff, "tiff-fx", "tif"),
        (.heic, "heic-sequence", "heics"), (.heif, "heif-sequence", "heifs hif"), (.pdf, "application/x-pdf", ""),
        (.svg, "svg", ""), (.bmp, "x-bmp x-ms-bmp vnd.microsoft.bmp", "dib"), (.ico, "x-icon ico", "cur"),
        (.raw, "x-adobe-dng dng x-canon-cr2 x-canon-cr3 x-nikon-nef x-sony-arw x-fuji-raf", "dng cr2 cr3 nef arw raf"),
        (.raw, "x-olympus-orf x-panasonic-rw2 x-panasonic-raw x-pentax-pef", "orf rw2 pef"),
        (.avif, "avif-sequence", "avifs"), (.jpegXL, "jpegxl", ""),
    ]

    static func boxes(_ major: String, _ compatible: String...) -> [UInt8] {
        [0, 0, 0, UInt8(16 + compatible.count * 4)] + Array("ftyp\(major)".utf8) + [0, 0, 0, 0]
            + compatible.flatMap { Array($0.utf8) }
    }

    @Test func `a signature names its format, and half of it names nothing`() {
        for (format, bytes) in Self.signatures {
            expectEqual(ImageFormat(sniffing: bytes), format, "\(bytes)")
            expectEqual(ImageFormat(sniffing: bytes + [UInt8](repeating: 0x20, count: 100)), format, "\(bytes)")
            let known = format == .svg ? 4 : [.heic, .heif, .avif].contains(format) ? 12 : bytes.count
            for count in 0..<min(known, bytes.count) {
                expectNil(ImageFormat(sniffing: Array(bytes.prefix(count))), "\(count) of \(bytes)")
            }
        }
    }

    @Test func `text, other files and single bytes are not pictures`() {
        for text in [
            "", "B", "BM", "BMW drivers' handbook", "GIF", "GIFTS", "I", "II", "It was", "M", "MM", "%PD", "RIFF",
            "RIFF0000WAVE", "<html>", "<svgs>", "<!-- no end", "Just text", "\u{0}\u{0}\u{0}\u{18}ftypmp42",
        ] {
            expectNil(ImageFormat(sniffing: Array(text.utf8)), "\(text)")
        }
        expect((UInt8.min...UInt8.max).allSatisfy { ImageFormat(sniffing: [$0]) == nil })
        let zeros = [UInt8](repeating: 0, count: 12)
        let bitmaps = (UInt8.min...UInt8.max).filter { length in
            ImageFormat(sniffing: "BM".utf8 + zeros + [length, 0, 0, 0]) == .bmp
        }
        expectEqual(bitmaps, [12, 16, 40, 52, 56, 64, 108, 124])
        // An icon without pictures, and one whose first picture has a number that is reserved.
        for (place, value) in [(4, 0), (5, 1), (9, 1), (2, 3), (3, 1)] as [(Int, UInt8)] {
            var icon: [UInt8] = [0, 0, 1, 0, 1, 0, 16, 16, 0, 0]
            icon[place] = value
            expectNil(ImageFormat(sniffing: icon), "\(place)")
        }
    }

    @Test func `the names of a format are unique and lead back to it, old and vendor names too`() {
        for format in ImageFormat.all {
            expectEqual(ImageFormat(mimeType: format.mimeType), format)
            expectEqual(ImageFormat(mimeType: " " + format.mimeType.uppercased() + " ; charset=binary"), format)
            expectEqual(ImageFormat(fileExtension: format.fileExtension), format)
            expectEqual(ImageFormat(fileExtension: format.fileExtension.uppercased()), format)
        }
        expectEqual(Set(ImageFormat.all.map(\.name)).count, ImageFormat.all.count)
        expectEqual(Set(ImageFormat.all.map(\.fileExtension)).count, ImageFormat.all.count)
        for (format, types, extensions) in Self.otherNames {
            for type in types.split(separator: " ") {
                expectEqual(ImageFormat(mimeType: (type.contains("/") ? "" : "image/") + type), format, "\(type)")
            }
            for name in extensions.split(separator: " ") {
                expectEqual(ImageFormat(fileExtension: name.uppercased()), format, "\(name)")
            }
        }
        expectNil(ImageFormat(mimeType: "text/html"))
        expectNil(ImageFormat(mimeType: ""))
        expectNil(ImageFormat(fileExtension: "txt"))
    }
}
