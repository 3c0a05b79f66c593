// SPDX-License-Identifier: MIT
/// The options of the encoders.
///
/// Each format uses the options that apply to it and ignores the rest.
public struct EncodeOptions: Hashable, Sendable {
    /// 1 (smallest) to 100 (best); values outside are clamped.
    ///
    /// JPEG, lossy WebP and AVIF. 80 by default.
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
    public init(
        quality: Int = 80, isLossless: Bool = false, isProgressive: Bool = false, compressionLevel: Int = 6,
        background: PixelColor = .white, isDithered: Bool = true, firstFrameOnly: Bool = false,
        maximumSize: PixelSize? = nil, maximumByteCount: Int? = nil, effort: Int = 4, nearLossless: Int = 100,
        maximumColors: Int? = nil, writesAPNG: Bool = false, keptMetadata: ImageMetadata.Parts = []
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
    }
}
