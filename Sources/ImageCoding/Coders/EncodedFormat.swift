// SPDX-License-Identifier: MIT
/// A format and all options of its encoder.
///
/// Equal values give equal bytes for equal pixels (with the same library versions). ``key`` names every option.
public struct EncodedFormat: Hashable, Sendable {
    /// The format to write.
    public let format: ImageFormat
    /// How to write it.
    public let options: EncodeOptions

    /// Creates a value, for other formats or rare combinations.
    ///
    /// - Parameters:
    ///   - format: The format to write.
    ///   - options: How to write it.
    public init(_ format: ImageFormat, options: EncodeOptions = EncodeOptions()) {
        self.format = format
        self.options = options
    }

    /// The media type of the bytes.
    public var contentType: String { format.mimeType }

    /// A stable text that differs between any two different values: part of a cache key.
    public var key: String {
        var options = [
            "quality=\(options.quality)", "lossless=\(options.isLossless)", "progressive=\(options.isProgressive)",
            "level=\(options.compressionLevel)", "background=\(options.background)", "dither=\(options.isDithered)",
            "first=\(options.firstFrameOnly)",
        ]
        // Younger options are named where they differ from their default, so that older keys stay what they were.
        if let size = self.options.maximumSize { options.append("size=\(size)") }
        if let count = self.options.maximumByteCount { options.append("bytes=\(count)") }
        if self.options.effort != 4 { options.append("effort=\(self.options.effort)") }
        if self.options.nearLossless != 100 { options.append("near=\(self.options.nearLossless)") }
        if let count = self.options.maximumColors { options.append("colors=\(count)") }
        if self.options.writesAPNG { options.append("apng=true") }
        if !self.options.keptMetadata.isEmpty { options.append("keep=\(self.options.keptMetadata.rawValue)") }
        // The media type is part of the key, because a custom format may have the same name.
        let names = [format.name, format.mimeType, format.fileExtension].map { KeyText.escaped($0, ":") }
        return "\(names.joined(separator: ":"))(\(options.joined(separator: ",")))"
    }
}

extension EncodedFormat {
    /// Whether an animation stays one.
    static func animates(_ format: EncodedFormat) -> Bool {
        if format.options.firstFrameOnly || format.format == .jpeg { return false }
        return format.format != .png || format.options.writesAPNG
    }

    /// The same format with metadata of the file that a picture came from.
    ///
    /// - Parameter parts: What is kept, as far as the picture has it.
    public func keeping(_ parts: ImageMetadata.Parts) -> EncodedFormat {
        var options = options
        options.keptMetadata = parts
        return EncodedFormat(format, options: options)
    }

    /// JPEG, 4:2:0, alpha laid over a background.
    ///
    /// The first frame of an animation.
    ///
    /// - Parameters:
    ///   - quality: 1 (smallest) to 100 (best).
    ///   - isProgressive: Whether the picture is stored in passes of growing detail.
    ///   - background: The colour below transparent pixels.
    public static func jpeg(
        quality: Int = 80, isProgressive: Bool = false, background: PixelColor = .white
    ) -> EncodedFormat {
        EncodedFormat(
            .jpeg, options: EncodeOptions(quality: quality, isProgressive: isProgressive, background: background))
    }

    /// PNG at zlib's level 6; see ``png(level:)``.
    public static let png = EncodedFormat.png(level: 6)

    /// PNG, 8 bits a channel, without alpha when the picture is opaque.
    ///
    /// The first frame of an animation.
    ///
    /// - Parameter level: 0 (none) to 9 (smallest).
    public static func png(level: Int) -> EncodedFormat {
        EncodedFormat(.png, options: EncodeOptions(compressionLevel: level))
    }

    /// Animated PNG: every pixel and all alpha is kept. A still picture is a PNG.
    public static let apng = EncodedFormat(.png, options: EncodeOptions(writesAPNG: true))

    /// GIF with dithering; see ``gif(isDithered:)``.
    public static let gif = EncodedFormat.gif(isDithered: true)

    /// GIF, still or animated, 256 colours a frame; pixels of less than half alpha become transparent.
    ///
    /// - Parameter isDithered: Whether missing colours are approximated by error diffusion.
    public static func gif(isDithered: Bool) -> EncodedFormat {
        EncodedFormat(.gif, options: EncodeOptions(isDithered: isDithered))
    }

    /// Lossy WebP, still or animated, alpha kept exactly.
    ///
    /// - Parameters:
    ///   - quality: 1 (smallest) to 100 (best).
    ///   - effort: 0 (fastest) to 6 (smallest).
    public static func webp(quality: Int = 80, effort: Int = 4) -> EncodedFormat {
        EncodedFormat(.webp, options: EncodeOptions(quality: quality, effort: effort))
    }

    /// The same format whose files have at most a number of bytes, where a lower quality can reach that.
    ///
    /// - Parameter count: The most bytes of the file.
    public func limited(toByteCount count: Int) -> EncodedFormat {
        var options = options
        options.maximumByteCount = count
        return EncodedFormat(format, options: options)
    }

    /// The same format of pictures that are fitted into a box first.
    ///
    /// - Parameter size: The box; a smaller picture does not grow.
    public func limited(to size: PixelSize) -> EncodedFormat {
        var options = options
        options.maximumSize = size
        return EncodedFormat(format, options: options)
    }

    /// Lossless WebP, still or animated.
    public static let losslessWebP = EncodedFormat(.webp, options: EncodeOptions(isLossless: true))
}

/// Keeps composed keys injective.
enum KeyText {
    /// Escapes the separator of a composed key, and the escape character itself.
    static func escaped(_ text: String, _ separator: Unicode.Scalar) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == separator || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
