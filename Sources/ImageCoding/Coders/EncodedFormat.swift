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
        if let optimizes = self.options.optimizesCoding { options.append("optimize=\(optimizes)") }
        if !self.options.keptMetadata.isEmpty { options.append("keep=\(self.options.keptMetadata.rawValue)") }
        // The media type is part of the key, because a custom format may have the same name.
        let names = [format.name, format.mimeType, format.fileExtension].map { KeyText.escaped($0, ":") }
        return "\(names.joined(separator: ":"))(\(options.joined(separator: ",")))"
    }
}

extension EncodedFormat {
    /// The same format with other options.
    package func with(_ change: (inout EncodeOptions) -> Void) -> EncodedFormat {
        var options = options
        change(&options)
        return EncodedFormat(format, options: options)
    }

    /// The same format with metadata of the file that a picture came from.
    ///
    /// - Parameter parts: What is kept, as far as the picture has it.
    public func keeping(_ parts: ImageMetadata.Parts) -> EncodedFormat { with { $0.keptMetadata = parts } }

    /// The same format, which also writes the profile: colours that were kept mean nothing without it.
    package var keepingProfile: EncodedFormat { with { $0.keptMetadata.formUnion(.colorProfile) } }

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
    public func limited(toByteCount count: Int) -> EncodedFormat { with { $0.maximumByteCount = count } }

    /// The same format of pictures that are fitted into a box first.
    ///
    /// - Parameter size: The box; a smaller picture does not grow.
    public func limited(to size: PixelSize) -> EncodedFormat { with { $0.maximumSize = size } }

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

/// The options of the encoders.
///
/// Each format uses the options that apply to it and ignores the rest.
public struct EncodeOptions: Hashable, Sendable {
    /// 1 (smallest) to 100 (best); values outside are clamped.
    ///
    /// JPEG, lossy WebP and AVIF. 80 by default. A JPEG is about as much like its picture as libjpeg's of that number,
    /// with quantization tables that make it smaller.
    public var quality: Int { didSet { quality = min(max(quality, 1), 100) } }
    /// Whether every pixel is kept exactly.
    ///
    /// WebP. `false` by default.
    public var isLossless: Bool
    /// Whether the picture is stored in passes of growing detail.
    ///
    /// JPEG. `false` by default.
    public var isProgressive: Bool
    /// 0 (none) to 9 (smallest); values outside are clamped.
    ///
    /// PNG. 6 by default.
    public var compressionLevel: Int { didSet { compressionLevel = min(max(compressionLevel, 0), 9) } }
    /// The colour below transparent pixels in formats without alpha.
    ///
    /// JPEG. White by default.
    public var background: PixelColor
    /// Whether missing colours are approximated by error diffusion in formats with a palette.
    ///
    /// GIF, and PNG with ``maximumColors``. `true` by default.
    public var isDithered: Bool
    /// Whether an animation is written as its first frame.
    ///
    /// Formats without animation always do so. `false` by default.
    public var firstFrameOnly: Bool

    /// The box that a larger picture is fitted into before it is encoded; `nil` by default.
    ///
    /// All formats. A smaller picture does not grow.
    public var maximumSize: PixelSize?
    /// The most bytes of the file, if a lower ``quality`` can keep it below; `nil` by default.
    ///
    /// JPEG, lossy WebP and AVIF. The best quality up to ``quality`` is searched in at most seven more encodes. When
    /// no quality is enough, the smallest file is written.
    public var maximumByteCount: Int?
    /// 0 (fastest) to 6 (smallest); values outside are clamped.
    ///
    /// WebP and AVIF. 4 by default.
    public var effort: Int { didSet { effort = min(max(effort, 0), 6) } }
    /// 0 (most) to 100 (none): how much colours may change so that a lossless file gets smaller; values outside are
    /// clamped.
    ///
    /// WebP with ``isLossless``. 100 by default.
    public var nearLossless: Int { didSet { nearLossless = min(max(nearLossless, 0), 100) } }

    /// The most colours of a file with a palette, 2 to 256, clamped; `nil`, the default, for all colours.
    ///
    /// Still PNG. Such a file is smaller; a picture with more colours changes. Pixels of less than half alpha become
    /// transparent, others opaque.
    public var maximumColors: Int? { didSet { maximumColors = maximumColors.map { min(max($0, 2), 256) } } }
    /// Whether an animation is written as an animated PNG instead of its first frame.
    ///
    /// PNG. `false` by default. Viewers that do not know animated PNG show the first frame.
    public var writesAPNG: Bool
    /// The metadata that is written, as far as ``DecodedImage/metadata`` has it.
    ///
    /// JPEG, PNG and WebP. None by default: a file says nothing about where its picture came from.
    public var keptMetadata: ImageMetadata.Parts
    /// Whether the Huffman tables are made for the picture; `nil`, the default, for up to 1,048,576 pixels (1024²).
    ///
    /// JPEG. A progressive file always has its own tables. The pixels stay the same. Tables of its own make a thumbnail
    /// 2 to 15 % smaller, and a photograph of 12 megapixels some 5 %, in about twice the time. All coefficients are held,
    /// which takes three bytes of memory a pixel.
    public var optimizesCoding: Bool?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100, clamped.
    ///   - isLossless: Whether every pixel is kept exactly.
    ///   - isProgressive: Whether the picture is stored in passes of growing detail.
    ///   - compressionLevel: 0 to 9, clamped.
    ///   - background: The colour below transparent pixels in formats without alpha.
    ///   - isDithered: Whether missing colours are approximated by error diffusion in formats with a palette.
    ///   - firstFrameOnly: Whether an animation is written as its first frame.
    ///   - maximumSize: The box that a larger picture is fitted into.
    ///   - maximumByteCount: The most bytes of the file, if a lower quality can keep it below.
    ///   - effort: 0 to 6, clamped.
    ///   - nearLossless: 0 to 100, clamped.
    ///   - maximumColors: 2 to 256, clamped.
    ///   - writesAPNG: Whether an animation is written as an animated PNG.
    ///   - keptMetadata: The metadata that is written.
    ///   - optimizesCoding: Whether the Huffman tables of a JPEG are made for the picture.
    public init(
        quality: Int = 80, isLossless: Bool = false, isProgressive: Bool = false, compressionLevel: Int = 6,
        background: PixelColor = .white, isDithered: Bool = true, firstFrameOnly: Bool = false,
        maximumSize: PixelSize? = nil, maximumByteCount: Int? = nil, effort: Int = 4, nearLossless: Int = 100,
        maximumColors: Int? = nil, writesAPNG: Bool = false, keptMetadata: ImageMetadata.Parts = [],
        optimizesCoding: Bool? = nil
    ) {
        self.quality = min(max(quality, 1), 100)
        self.isLossless = isLossless
        self.isProgressive = isProgressive
        self.compressionLevel = min(max(compressionLevel, 0), 9)
        self.background = background
        self.isDithered = isDithered
        self.firstFrameOnly = firstFrameOnly
        self.maximumSize = maximumSize
        self.maximumByteCount = maximumByteCount
        self.effort = min(max(effort, 0), 6)
        self.nearLossless = min(max(nearLossless, 0), 100)
        self.maximumColors = maximumColors.map { min(max($0, 2), 256) }
        self.writesAPNG = writesAPNG
        self.keptMetadata = keptMetadata
        self.optimizesCoding = optimizesCoding
    }
}
