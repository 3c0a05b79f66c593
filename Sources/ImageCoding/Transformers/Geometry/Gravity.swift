// SPDX-License-Identifier: MIT
/// Where a part lies in a whole: which part of a picture is kept, or where it is put on a larger canvas.
///
/// 0 is left or top, 1 is right or bottom, and 0.5 the middle.
public struct Gravity: Hashable, Sendable {
    /// From left (0) to right (1).
    public let x: Double
    /// From top (0) to bottom (1).
    public let y: Double

    /// Creates a gravity, such as the place of a face.
    ///
    /// - Parameters:
    ///   - x: From left (0) to right (1); clamped.
    ///   - y: From top (0) to bottom (1); clamped.
    public init(x: Double, y: Double) {
        self.x = x >= 0 ? min(x, 1) : 0
        self.y = y >= 0 ? min(y, 1) : 0
    }

    /// In the middle.
    public static let center = Gravity(x: 0.5, y: 0.5)
    /// In the middle of the top edge.
    public static let top = Gravity(x: 0.5, y: 0)
    /// In the middle of the bottom edge.
    public static let bottom = Gravity(x: 0.5, y: 1)
    /// In the middle of the left edge.
    public static let left = Gravity(x: 0, y: 0.5)
    /// In the middle of the right edge.
    public static let right = Gravity(x: 1, y: 0.5)
    /// In the top left corner.
    public static let topLeft = Gravity(x: 0, y: 0)
    /// In the top right corner.
    public static let topRight = Gravity(x: 1, y: 0)
    /// In the bottom left corner.
    public static let bottomLeft = Gravity(x: 0, y: 1)
    /// In the bottom right corner.
    public static let bottomRight = Gravity(x: 1, y: 1)
}

extension Gravity: CustomStringConvertible {
    /// The two numbers.
    public var description: String { "\(x):\(y)" }
}

extension Gravity {
    /// The corner of a part in a whole, in whole pixels; either may be the larger one.
    func corner(of part: PixelSize, in whole: PixelSize) -> (x: Int, y: Int) {
        func start(_ part: Int, _ whole: Int, _ fraction: Double) -> Int {
            let start = (Double(whole) - Double(part)) * fraction
            return Int(min(max(start, -1e15), 1e15).rounded(.down))
        }
        return (start(part.width, whole.width, x), start(part.height, whole.height, y))
    }
}
