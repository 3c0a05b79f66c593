// SPDX-License-Identifier: MIT
/// A rectangle in whole pixels; the origin is the top left corner of the picture.
public struct PixelRect: Hashable, Sendable {
    /// Distance of the left edge from the picture's left edge.
    public var x: Int
    /// Distance of the top edge from the picture's top edge.
    public var y: Int
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Creates a rectangle.
    ///
    /// - Parameters:
    ///   - x: Distance of the left edge from the picture's left edge.
    ///   - y: Distance of the top edge from the picture's top edge.
    ///   - width: Pixels from left to right.
    ///   - height: Pixels from top to bottom.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

extension PixelRect {
    /// The part of the rectangle inside a picture of the given size, or `nil` when there is none.
    func clipped(to size: PixelSize) -> PixelRect? {
        guard width > 0, height > 0 else { return nil }
        let left = max(x, 0)
        let top = max(y, 0)
        let (right, rightOverflow) = x.addingReportingOverflow(width)
        let (bottom, bottomOverflow) = y.addingReportingOverflow(height)
        let clippedRight = rightOverflow ? size.width : min(right, size.width)
        let clippedBottom = bottomOverflow ? size.height : min(bottom, size.height)
        guard clippedRight > left, clippedBottom > top else { return nil }
        return PixelRect(x: left, y: top, width: clippedRight - left, height: clippedBottom - top)
    }
}
