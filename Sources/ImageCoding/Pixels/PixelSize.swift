// SPDX-License-Identifier: MIT
/// A size in whole pixels.
public struct PixelSize: Hashable, Sendable {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - width: Pixels from left to right.
    ///   - height: Pixels from top to bottom.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension PixelSize: CustomStringConvertible {
    /// The size as `widthxheight`.
    public var description: String { "\(width)x\(height)" }
}

extension PixelSize {
    /// The largest size of the same shape inside `box`, each side rounded to the nearest pixel and at least one.
    ///
    /// - Parameters:
    ///   - box: The size to fit into.
    ///   - enlarging: Whether the answer may be larger than the size itself.
    func fitted(into box: PixelSize, enlarging: Bool) -> PixelSize {
        scaled(by: min(Double(box.width) / Double(width), Double(box.height) / Double(height)), enlarging: enlarging)
    }

    /// The smallest size of the same shape that covers `box`, each side rounded to the nearest pixel.
    func covering(_ box: PixelSize, enlarging: Bool) -> PixelSize {
        scaled(by: max(Double(box.width) / Double(width), Double(box.height) / Double(height)), enlarging: enlarging)
    }

    private func scaled(by factor: Double, enlarging: Bool) -> PixelSize {
        if factor >= 1, !enlarging { return self }
        return PixelSize(
            width: Int(atLeastOne: Double(width) * factor), height: Int(atLeastOne: Double(height) * factor))
    }
}

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
    /// The size of the rectangle.
    var size: PixelSize { PixelSize(width: width, height: height) }

    /// The bytes of each row of the rectangle inside a bitmap.
    func rows(in size: PixelSize) -> some Sequence<Range<Int>> {
        let visible = clipped(to: size) ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
        return (0..<visible.height).lazy.map { row in
            let start = ((visible.y + row) * size.width + visible.x) * 4
            return start..<start + visible.width * 4
        }
    }

    /// The part of the rectangle inside a picture of the given size, or `nil` when there is none.
    func clipped(to size: PixelSize) -> PixelRect? {
        guard width > 0, height > 0 else { return nil }
        let left = max(x, 0)
        let top = max(y, 0)
        let right = min(x.saturatingAdd(width), size.width)
        let bottom = min(y.saturatingAdd(height), size.height)
        guard right > left, bottom > top else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// Sums and products of untrusted sizes. A result that does not fit becomes `.max`.
extension Int {
    /// The sum, or `.max`.
    ///
    /// Neither side is negative.
    package func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product, or `.max`.
    ///
    /// A negative side counts as 0.
    package func saturatingMultiply(_ other: Int) -> Int {
        let (product, overflow) = Swift.max(self, 0).multipliedReportingOverflow(by: Swift.max(other, 0))
        return overflow ? .max : product
    }

    /// Creates the nearest whole number, from 1 to `.max`; 1 for NaN.
    init(atLeastOne value: Double) {
        // The largest `Double` below 2^63.
        self = value >= 1 ? Int(Swift.min(value.rounded(), 9_223_372_036_854_774_784)) : 1
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// A number of up to seven bytes, most significant first. The caller has checked that they exist.
    func bigEndian(_ count: Int = 4, at offset: Int) -> Int {
        self[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of up to seven bytes, least significant first. The caller has checked that they exist.
    func littleEndian(_ count: Int = 4, at offset: Int) -> Int {
        self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension PixelSize {
    /// `width * height`, or `.max`; 0 when a side is negative.
    package var pixelCount: Int { width.saturatingMultiply(height) }

    /// The bytes of a bitmap of this size.
    package var bitmapByteCount: Int { pixelCount.saturatingMultiply(4) }
}
