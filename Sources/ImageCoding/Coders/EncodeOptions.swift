// SPDX-License-Identifier: MIT
/// The options of the encoders.
///
/// Each format uses the options that apply to it and ignores the rest.
public struct EncodeOptions: Hashable, Sendable {
    /// 1 (smallest) to 100 (best); values outside are clamped.
    ///
    /// JPEG, lossy WebP and AVIF. 80 by default.
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

    /// The box that a larger picture is fitted into before it is encoded; `nil` by default.
    ///
    /// All formats. A smaller picture does not grow.
    public let maximumSize: PixelSize?
    /// The most bytes of the file, if a lower ``quality`` can keep it below; `nil` by default.
    ///
    /// JPEG, lossy WebP and AVIF. The best quality up to ``quality`` is searched in at most seven more encodes. When no quality
    /// is enough, the smallest file is written.
    public let maximumByteCount: Int?
    /// 0 (fastest) to 6 (smallest); values outside are clamped.
    ///
    /// WebP and AVIF. 4 by default.
    public let effort: Int
    /// 0 (most) to 100 (none): how much colours may change so that a lossless file gets smaller; values outside are
    /// clamped.
    ///
    /// WebP with ``isLossless``. 100 by default.
    public let nearLossless: Int

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
    public init(
        quality: Int = 80, isLossless: Bool = false, isProgressive: Bool = false, compressionLevel: Int = 6,
        background: PixelColor = .white, isDithered: Bool = true, firstFrameOnly: Bool = false,
        maximumSize: PixelSize? = nil, maximumByteCount: Int? = nil, effort: Int = 4, nearLossless: Int = 100
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
    }

    /// The same options with other limits, and another quality if there is one.
    func with(maximumSize: PixelSize?, maximumByteCount: Int?, quality: Int? = nil) -> EncodeOptions {
        EncodeOptions(
            quality: quality ?? self.quality, isLossless: isLossless, isProgressive: isProgressive,
            compressionLevel: compressionLevel, background: background, isDithered: isDithered,
            firstFrameOnly: firstFrameOnly, maximumSize: maximumSize, maximumByteCount: maximumByteCount,
            effort: effort, nearLossless: nearLossless)
    }
}
