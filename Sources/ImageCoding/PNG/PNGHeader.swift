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
    ///   - options: An EXIF chunk beyond the limit for metadata is skipped.
    ///   - work: Called between chunks; one of its own by default.
    /// - Throws: `.truncated` without a whole header, `.malformed`; what `work` throws.
    /// - Complexity: O(number of chunks).
    init(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork? = nil) throws {
        guard bytes.starts(with: PNGHeader.signature.prefix(bytes.count)) else {
            throw ImageError(code: .malformed, message: "Not a PNG.", byteOffset: 0)
        }
        // Signature, length, type, thirteen bytes, checksum.
        guard bytes.count >= 33 else {
            throw ImageError(code: .truncated, message: "The PNG ends in its header.", byteOffset: bytes.count)
        }
        guard bytes.bigEndian(at: 8) == 13, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw ImageError(code: .malformed, message: "The PNG does not begin with its header.", byteOffset: 8)
        }
        let width = bytes.bigEndian(at: 16)
        let height = bytes.bigEndian(at: 20)
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else {
            throw ImageError(
                code: .malformed, message: "The PNG says it is \(width) by \(height) pixels.", byteOffset: 16)
        }
        var hasAlpha = bytes[25] & 4 != 0
        var orientation = ImageOrientation.up
        var (isAnimated, hasData) = (false, false)
        var walk = (work ?? DecodingWork(limits: options.limits, byteCount: bytes.count)).walk()
        for chunk in PNGChunks(bytes, from: 33) {
            try walk.reach(chunk.payload.lowerBound)
            switch chunk.type {
            case "IDAT": hasData = true
            case "acTL": isAnimated = isAnimated || !hasData
            case "tRNS": hasAlpha = true
            case "eXIf" where chunk.payload.count <= options.limits.maximumMetadataByteCount:
                orientation = EXIF.orientation(in: bytes[chunk.payload])
            default: break
            }
        }
        size = PixelSize(width: width, height: height)
        isInterlaced = bytes[28] != 0
        self.hasAlpha = hasAlpha
        self.isAnimated = isAnimated
        self.orientation = orientation
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}
