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
