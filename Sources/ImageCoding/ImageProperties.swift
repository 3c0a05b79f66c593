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

    /// Creates a description from the size that the file stores.
    init(
        _ format: ImageFormat, stored size: PixelSize, frameCount: Int? = 1, orientation: ImageOrientation = .up,
        hasAlpha: Bool, isLossless: Bool = false
    ) {
        let shown = size.turned(orientation)
        self.init(
            format: format, width: shown.width, height: shown.height, frameCount: frameCount, orientation: orientation,
            hasAlpha: hasAlpha, isLossless: isLossless)
    }

    /// The size in pixels as shown.
    public var size: PixelSize { PixelSize(width: width, height: height) }
}

/// How stored pixels must be turned to stand upright, numbered as in EXIF.
///
/// - Source: CIPA DC-008 (EXIF 2.32), tag 0x0112.
public enum ImageOrientation: Int, Hashable, Sendable, CaseIterable {
    /// Stored as shown.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by half a circle.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored at the diagonal from top left to bottom right.
    case leftMirrored = 5
    /// Shown by a quarter turn clockwise.
    case right = 6
    /// Mirrored at the diagonal from top right to bottom left.
    case rightMirrored = 7
    /// Shown by a quarter turn counter-clockwise.
    case left = 8

    /// Whether the shown width is the stored height.
    var swapsSides: Bool { rawValue >= 5 }
}

extension PixelSize {
    /// The size after turning. The same rule leads from the shown size to the stored size.
    func turned(_ orientation: ImageOrientation) -> PixelSize {
        orientation.swapsSides ? PixelSize(width: height, height: width) : self
    }
}
