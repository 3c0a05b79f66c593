/// The knobs of the encoders.
///
/// Each format reads those that mean something to it and ignores the rest.
public struct EncodeOptions: Hashable, Sendable {
    /// 1 (smallest) to 100 (best); values outside are clamped.
    ///
    /// JPEG and lossy WebP. 80 by default.
    public let quality: Int
    /// Whether every pixel is kept exactly.
    ///
    /// WebP. `false` by default.
    public let isLossless: Bool
    /// Whether the picture comes in passes of growing detail.
    ///
    /// JPEG. `false` by default.
    public let isProgressive: Bool
    /// 0 (none) to 9 (smallest); values outside are clamped.
    ///
    /// PNG. 6 by default.
    public let compressionLevel: Int
    /// What transparent pixels are laid over where the format has no alpha.
    ///
    /// JPEG. White by default.
    public let background: PixelColor
    /// Whether missing colours are mixed by error diffusion where the format has a palette.
    ///
    /// GIF. `true` by default.
    public let isDithered: Bool
    /// Whether an animation is written as its first frame.
    ///
    /// Formats without animation do so anyway. `false` by default.
    public let firstFrameOnly: Bool

    /// Makes options.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100, clamped.
    ///   - isLossless: Whether every pixel is kept exactly.
    ///   - isProgressive: Whether the picture comes in passes of growing detail.
    ///   - compressionLevel: 0 to 9, clamped.
    ///   - background: What transparent pixels are laid over where the format has no alpha.
    ///   - isDithered: Whether missing colours are mixed by error diffusion where the format has a palette.
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
