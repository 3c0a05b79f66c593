/// The options of the encoders.
///
/// Each format uses the options that apply to it and ignores the rest.
public struct EncodeOptions: Hashable, Sendable {
    /// 1 (smallest) to 100 (best); values outside are clamped.
    ///
    /// JPEG and lossy WebP. 80 by default.
    public let quality: Int
    /// Whether every pixel is kept exactly.
    ///
    /// WebP. `false` by default.
    public let isLossless: Bool
    /// Whether the picture is stored in passes of growing detail.
    ///
    /// JPEG. `false` by default.
    public let isProgressive: Bool
    /// 0 (none) to 9 (smallest); values outside are clamped.
    ///
    /// PNG. 6 by default.
    public let compressionLevel: Int
    /// The colour below transparent pixels in formats without alpha.
    ///
    /// JPEG. White by default.
    public let background: PixelColor
    /// Whether missing colours are approximated by error diffusion in formats with a palette.
    ///
    /// GIF. `true` by default.
    public let isDithered: Bool
    /// Whether an animation is written as its first frame.
    ///
    /// Formats without animation always do so. `false` by default.
    public let firstFrameOnly: Bool

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
    public init(
        quality: Int = 80, isLossless: Bool = false, isProgressive: Bool = false, compressionLevel: Int = 6,
        background: PixelColor = .white, isDithered: Bool = true, firstFrameOnly: Bool = false
    ) {
        self.quality = min(max(quality, 1), 100)
        self.isLossless = isLossless
        self.isProgressive = isProgressive
        self.compressionLevel = min(max(compressionLevel, 0), 9)
        self.background = background
        self.isDithered = isDithered
        self.firstFrameOnly = firstFrameOnly
    }
}
