// SPDX-License-Identifier: MIT
/// Sums and products of untrusted sizes. A result that does not fit becomes `.max`.
extension Int {
    /// The sum, or `.max`.
    ///
    /// Neither side is negative.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product, or `.max`.
    ///
    /// A negative side counts as 0.
    func saturatingMultiply(_ other: Int) -> Int {
        let (product, overflow) = Swift.max(self, 0).multipliedReportingOverflow(by: Swift.max(other, 0))
        return overflow ? .max : product
    }

    /// Creates the nearest whole number, from 1 to `.max`; 1 for NaN.
    init(atLeastOne value: Double) {
        // The largest `Double` below 2^63.
        self = value >= 1 ? Int(Swift.min(value.rounded(), 9_223_372_036_854_774_784)) : 1
    }
}

extension PixelSize {
    /// `width * height`, or `.max`; 0 when a side is negative.
    var pixelCount: Int { width.saturatingMultiply(height) }

    /// The bytes of a bitmap of this size.
    var bitmapByteCount: Int { pixelCount.saturatingMultiply(4) }
}
