// SPDX-License-Identifier: MIT
/// The properties of a picture from its file's header.
public struct ImageProperties: Hashable, Sendable {
    /// The file's format.
    public var format: ImageFormat
    /// Width in pixels as shown, that is after ``orientation`` is applied.
    public var width: Int
    /// Height in pixels as shown, that is after ``orientation`` is applied.
    public var height: Int
    /// The number of frames; `nil` when it needs the whole file.
    public var frameCount: Int?
    /// How the stored pixels must be turned; a decoded picture has been turned.
    public var orientation: ImageOrientation
    /// Whether the file declares that pixels may be transparent.
    public var hasAlpha: Bool
    /// Whether the file stores its pixels exactly: PNG, GIF, lossless WebP.
    ///
    /// In an animated WebP, whether every frame does.
    public var isLossless: Bool

    /// Creates a description of a picture.
    ///
    /// - Parameters:
    ///   - format: The file's format.
    ///   - width: Width in pixels as shown.
    ///   - height: Height in pixels as shown.
    ///   - frameCount: The number of frames, if known.
    ///   - orientation: How the stored pixels must be turned.
    ///   - hasAlpha: Whether the file declares that pixels may be transparent.
    ///   - isLossless: Whether the file stores its pixels exactly.
    public init(
        format: ImageFormat, width: Int, height: Int, frameCount: Int?, orientation: ImageOrientation = .up,
        hasAlpha: Bool, isLossless: Bool = false
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.frameCount = frameCount
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.isLossless = isLossless
    }

    /// The size in pixels as shown.
    public var size: PixelSize { PixelSize(width: width, height: height) }
}
