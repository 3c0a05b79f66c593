// SPDX-License-Identifier: MIT
extension ImageFormat {
    /// The largest number of leading bytes that ``init(sniffing:)`` needs for every format but SVG.
    public static let signatureLength = 64

    /// Creates the format of a file from its first bytes (for SVG also from its last ones).
    ///
    /// Every signature has at least two bytes, and signatures of two bytes are checked against a later field. ``raw``
    /// is never found, because its files begin like TIFF.
    ///
    /// - Parameter bytes: The file or its beginning, at best ``signatureLength`` bytes or more.
    /// - Returns: `nil` when no signature matches.
    /// - Complexity: O(1), except for SVG, whose leading comments are skipped, up to 64 KiB.
    /// - Source: The formats' specifications; WHATWG MIME Sniffing, section 6.1, where it names the same formats.
    public init?(sniffing bytes: [UInt8]) {
        let found: ImageFormat?
        switch bytes.first {
        case 0xFF where bytes.starts(with: [0xFF, 0xD8, 0xFF]): found = .jpeg
        case 0xFF where bytes.starts(with: [0xFF, 0x0A]): found = .jpegXL
        case 0x89 where bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): found = .png
        case 0x47 where bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8): found = .gif
        case 0x49, 0x4D: found = ImageFormat.isTIFF(bytes) ? .tiff : nil
        case 0x52 where ImageFormat.has("RIFF", at: 0, in: bytes) && ImageFormat.has("WEBP", at: 8, in: bytes):
            found = .webp
        case 0x25 where bytes.starts(with: "%PDF-".utf8): found = .pdf
        case 0x42: found = ImageFormat.isBitmap(bytes) ? .bmp : nil
        case 0x00: found = ImageFormat.sniffBoxes(bytes) ?? (ImageFormat.isIcon(bytes) ? .ico : nil)
        default: found = ImageFormat.isSVG(bytes) ? .svg : nil
        }
        guard let found else { return nil }
        self = found
    }

    private static func has(_ text: StaticString, at offset: Int, in bytes: [UInt8]) -> Bool {
        bytes.dropFirst(offset).starts(with: text.description.utf8)
    }

    private static func isTIFF(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x49, 0x49, 0x2A, 0x00]) || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A])
            || bytes.starts(with: [0x49, 0x49, 0x2B, 0x00, 0x08, 0x00])
            || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08])
    }

    /// `BM`, and a header length that some version of the format has.
    private static func isBitmap(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: "BM".utf8), bytes.count >= 18, bytes[15] == 0, bytes[16] == 0, bytes[17] == 0 else {
            return false
        }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(bytes[14])
    }

    /// An icon or a cursor of up to 255 pictures, with zero in the reserved byte of the first one.
    private static func isIcon(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 10 && bytes[1] == 0 && (1...2).contains(bytes[2]) && bytes[3] == 0 && bytes[4] > 0
            && bytes[5] == 0 && bytes[9] == 0
    }

    /// ISO base media files (HEIF and AVIF) by the brands in `ftyp`, and the JPEG XL container.
    private static func sniffBoxes(_ bytes: [UInt8]) -> ImageFormat? {
        if bytes.starts(with: [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) { return .jpegXL }
        guard bytes.count >= 12, has("ftyp", at: 4, in: bytes) else { return nil }
        let end = min(Int(bytes[2]) << 8 | Int(bytes[3]), bytes.count)
        // The major brand, then the compatible ones after the minor version.
        for offset in [8] + Array(stride(from: 16, to: max(end - 3, 16), by: 4)) {
            switch String(decoding: bytes[offset..<offset + 4], as: UTF8.self) {
            case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": return .heic
            case "avif", "avis": return .avif
            default: continue
            }
        }
        return ["mif1", "msf1"].contains(String(decoding: bytes[8..<12], as: UTF8.self)) ? .heif : nil
    }

    /// Whether the bytes are the beginning of an SVG prolog that continues after them.
    static func mayBecomeSVG(_ bytes: [UInt8]) -> Bool { findSVG(bytes) == nil }

    private static func isSVG(_ bytes: [UInt8]) -> Bool { findSVG(bytes) == true }

    /// Looks for an `<svg` root element after a byte order mark, blanks, an XML declaration, comments and a document
    /// type.
    ///
    /// A prolog of more than 64 KiB is not accepted, so that a file of blanks costs little.
    ///
    /// - Returns: `nil` when the bytes end before the root element.
    private static func findSVG(_ bytes: [UInt8]) -> Bool? {
        let longest = 65_536
        let unfinished: Bool? = bytes.count < longest ? nil : false
        var rest = bytes.prefix(longest)
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            if rest.starts(with: "<svg".utf8) {
                guard let next = rest.dropFirst(4).first else { return true }
                return [0x20, 0x09, 0x0A, 0x0D, 0x3E, 0x2F, 0x3A].contains(next)
            }
            let end: [UInt8]
            if rest.starts(with: "<!--".utf8) {
                end = Array("-->".utf8)
            } else if rest.starts(with: "<?xml".utf8) {
                end = Array("?>".utf8)
            } else if rest.starts(with: "<!DOCTYPE".utf8) {
                end = Array(">".utf8)
            } else {
                let isBeginning = ["<svg", "<!--", "<?xml", "<!DOCTYPE"].contains { $0.utf8.starts(with: rest) }
                return isBeginning ? unfinished : false
            }
            guard let place = rest.indices.first(where: { rest[$0] == end[0] && rest[$0...].starts(with: end) }) else {
                return unfinished
            }
            rest = rest[(place + end.count)...]
        }
    }
}
