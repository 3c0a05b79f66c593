public import ImageCoding

/// The file that ``ImageManager/encodedImage(for:as:onProgress:)`` returns.
public enum OutputFormat: Sendable, Hashable {
    /// The file as the origin sent it; with transformers, a file in the origin's format, or PNG where that format
    /// cannot be written.
    case original
    /// A file of this format, written this way.
    case encoded(EncodedFormat)

    /// JPEG, alpha laid over white. `quality` is 1 to 100.
    public static func jpeg(quality: Int = 80) -> OutputFormat { .encoded(.jpeg(quality: quality)) }
    /// PNG.
    public static let png = OutputFormat.encoded(.png)
    /// GIF, animated when the picture is.
    public static let gif = OutputFormat.encoded(.gif)
    /// Lossy WebP, animated when the picture is. `quality` is 1 to 100.
    public static func webp(quality: Int = 80) -> OutputFormat { .encoded(.webp(quality: quality)) }

    /// The format to write a picture in when its original has `format`.
    func encodedFormat(original format: ImageFormat, coders: ImageCoders) -> EncodedFormat {
        guard case .original = self else {
            guard case .encoded(let encoded) = self else { return .png }
            return encoded
        }
        switch format {
        case .jpeg: return .jpeg(quality: 85)
        case let format where coders.encoders.contains { $0.canEncode(format) }: return EncodedFormat(format)
        default: return .png
        }
    }
}

extension ImageRequest {
    /// The name of the file made in `format`. An unchanged original has the original's own name.
    func encodedKey(_ format: OutputFormat) -> CacheKey {
        switch format {
        case .original where transformers.isEmpty: originalKey
        case .original: CacheKey(variantKey.rawValue + "\0original")
        case .encoded(let encoded): CacheKey(variantKey.rawValue + "\0encoded" + encoded.key)
        }
    }
}
