// SPDX-License-Identifier: MIT
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
