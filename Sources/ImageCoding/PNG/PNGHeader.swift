// SPDX-License-Identifier: MIT
/// The properties in the chunks of a PNG, read without inflating anything.
///
/// - Source: PNG (third edition), sections 5.3, 11.2.1 and 11.3.
struct PNGHeader {
    /// The stored size in pixels.
    let size: PixelSize
    /// Whether there is an alpha channel or a transparent colour.
    let hasAlpha: Bool
    /// Whether the rows are stored in seven passes, and not from top to bottom.
    let isInterlaced: Bool
    /// How the stored pixels must be turned.
    let orientation: ImageOrientation
    /// Whether the file announces an animation.
    let isAnimated: Bool

    /// Creates a header from the first chunk and the following ones, as far as there are bytes.
    ///
    /// - Parameters:
    ///   - bytes: The file or its beginning.
    ///   - maximumMetadataByteCount: A larger EXIF chunk is skipped.
    ///   - work: Called between chunks.
    /// - Throws: `.truncated` without a whole header, `.malformed`; what `work` throws.
    /// - Complexity: O(number of chunks).
    init(_ bytes: [UInt8], maximumMetadataByteCount: Int, work: DecodingWork) throws {
        guard bytes.starts(with: PNGHeader.signature.prefix(bytes.count)) else {
            throw ImageError(code: .malformed, message: "Not a PNG.", byteOffset: 0)
        }
        // Signature, length, type, thirteen bytes, checksum.
        guard bytes.count >= 33 else {
            throw ImageError(code: .truncated, message: "The PNG ends in its header.", byteOffset: bytes.count)
        }
        guard PNGHeader.number(in: bytes, at: 8) == 13, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw ImageError(code: .malformed, message: "The PNG does not begin with its header.", byteOffset: 8)
        }
        let width = PNGHeader.number(in: bytes, at: 16)
        let height = PNGHeader.number(in: bytes, at: 20)
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else {
            throw ImageError(
                code: .malformed, message: "The PNG says it is \(width) by \(height) pixels.", byteOffset: 16)
        }
        var hasAlpha = bytes[25] & 4 != 0
        var orientation = ImageOrientation.up
        var (isAnimated, hasData) = (false, false)
        var offset = 33
        var walk = work.walk()
        while offset + 8 <= bytes.count {
            try walk.reach(offset)
            let length = PNGHeader.number(in: bytes, at: offset)
            let payload = offset + 8
            guard length <= bytes.count - payload else { break }
            let type = bytes[offset + 4..<payload]
            if type.elementsEqual("IDAT".utf8) {
                hasData = true
            } else if type.elementsEqual("acTL".utf8) {
                isAnimated = isAnimated || !hasData
            } else if type.elementsEqual("tRNS".utf8) {
                hasAlpha = true
            } else if type.elementsEqual("eXIf".utf8), length <= maximumMetadataByteCount {
                orientation = EXIF.orientation(in: bytes[payload..<payload + length])
            }
            offset = payload + length + 4
        }
        size = PixelSize(width: width, height: height)
        isInterlaced = bytes[28] != 0
        self.hasAlpha = hasAlpha
        self.isAnimated = isAnimated
        self.orientation = orientation
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Four bytes, most significant first. The caller has checked that they exist.
    static func number(in bytes: [UInt8], at offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
