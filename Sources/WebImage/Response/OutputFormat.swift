// SPDX-License-Identifier: MIT
public import ImageCoding

/// The file that ``ImageManager/encodedImage(for:as:onProgress:)`` returns.
public enum OutputFormat: Sendable, Hashable {
    /// The file as the origin sent it; with transformers, a file in the origin's format, animated when the picture is,
    /// or PNG where that format cannot be written.
    case original
    /// A file of this format, written this way.
    case encoded(EncodedFormat)

    /// JPEG, alpha laid over white. `quality` is 1 to 100.
    public static func jpeg(quality: Int = 80) -> OutputFormat { .encoded(.jpeg(quality: quality)) }
    /// PNG. An animated PNG stays animated; any other animation becomes its first frame.
    public static let png = OutputFormat.encoded(.png)
    /// GIF, animated when the picture is.
    public static let gif = OutputFormat.encoded(.gif)
    /// Lossy WebP, animated when the picture is. `quality` is 1 to 100.
    public static func webp(quality: Int = 80) -> OutputFormat { .encoded(.webp(quality: quality)) }

    /// The text of a BlurHash, in place of a picture that has not come yet.
    public static let blurHash = OutputFormat.encoded(.blurHash)
    /// The bytes of a ThumbHash, in place of a picture that has not come yet.
    public static let thumbHash = OutputFormat.encoded(.thumbHash)

    /// JPEG of at most `side` pixels in each direction, as ``jpeg(quality:)``. A smaller picture does not grow.
    ///
    /// Any format may have a box: `.encoded(.gif.limited(to: box))`. The picture is resized as by a last transformer, so
    /// that files of several sizes share one decode.
    public static func jpeg(_ side: Int, quality: Int = 80) -> OutputFormat {
        .encoded(.jpeg(quality: quality).limited(to: PixelSize(width: side, height: side)))
    }

    /// WebP of at most `side` pixels in each direction, as ``webp(quality:)``. A smaller picture does not grow.
    public static func webp(_ side: Int, quality: Int = 80) -> OutputFormat {
        .encoded(.webp(quality: quality).limited(to: PixelSize(width: side, height: side)))
    }

    /// The format to write a picture in when its original has `format`. A picture of a lossless original stays
    /// lossless.
    func encodedFormat(original format: ImageFormat, isLossless: Bool, coders: ImageCoders) -> EncodedFormat {
        if case .encoded(let encoded) = self {
            guard format == .png, encoded.format == .png, encoded.options.maximumColors == nil else { return encoded }
            return encoded.with { $0.writesAPNG = true }
        }
        switch format {
        case .jpeg: return .jpeg(quality: 85)
        case .png: return .apng
        case .webp where isLossless: return .losslessWebP
        case let format where coders.encoders.contains { $0.canEncode(format) }: return EncodedFormat(format)
        default: return .png
        }
    }
}
