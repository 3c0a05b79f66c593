// SPDX-License-Identifier: MIT
import CImageShims

/// A rectangle with round corners, and a border inside its edge: how much of each pixel it covers.
struct RoundedShape: Sendable {
    /// The radius of each corner: top left, top right, bottom left, bottom right.
    private let radii: (Double, Double, Double, Double)
    private let size: PixelSize
    private let border: Double
    /// A pixel of the border, opaque or not, premultiplied.
    private let color: [UInt8]

    /// Creates a shape.
    ///
    /// - Parameters:
    ///   - size: The size of the picture, which the rectangle fills.
    ///   - radius: The radius of the round corners, at most half of the shorter side.
    ///   - corners: The round ones.
    ///   - border: The width of the border, not negative.
    ///   - color: The colour of the border.
    init(_ size: PixelSize, radius: Double, corners: ImageCorners, border: Double, color: PixelColor) {
        let most = min(radius, Double(min(size.width, size.height)) / 2)
        func length(_ corner: ImageCorners) -> Double { corners.contains(corner) ? most : 0 }
        radii = (length(.topLeft), length(.topRight), length(.bottomLeft), length(.bottomRight))
        self.size = size
        self.border = border
        self.color = color.premultiplied
    }

    /// The distance from the edge below which pixels change.
    private var band: Int {
        Int(atLeastOne: max(radii.0, radii.1, radii.2, radii.3, border).rounded(.up) + 1)
    }

    /// Draws the border and clears what is outside.
    @Sendable func applied(to pixels: [UInt8]) throws -> [UInt8] {
        var result = pixels
        let band = min(band, max(size.width, size.height))
        for y in 0..<size.height {
            if y % 16 == 0 { try Task.checkCancellation() }
            if y < band || y >= size.height - band {
                change(&result, y, 0..<size.width)
            } else {
                change(&result, y, 0..<min(band, size.width))
                change(&result, y, max(size.width - band, min(band, size.width))..<size.width)
            }
        }
        return result
    }

    private func change(_ pixels: inout [UInt8], _ y: Int, _ columns: Range<Int>) {
        var shape = swi_shape()
        (shape.width, shape.height) = (Int64(size.width), Int64(size.height))
        shape.radii = radii
        shape.border = border
        shape.color = (color[0], color[1], color[2], color[3])
        unsafe pixels.withUnsafeMutableBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe swi_round_row(
                first + y * size.width * 4, &shape, Int64(y), Int64(columns.lowerBound), Int64(columns.upperBound))
        }
    }
}

/// Corners of a picture.
public struct ImageCorners: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a value from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue & 15 }

    /// The top left corner.
    public static let topLeft = ImageCorners(rawValue: 1)
    /// The top right corner.
    public static let topRight = ImageCorners(rawValue: 2)
    /// The bottom left corner.
    public static let bottomLeft = ImageCorners(rawValue: 4)
    /// The bottom right corner.
    public static let bottomRight = ImageCorners(rawValue: 8)
    /// All four.
    public static let all = ImageCorners(rawValue: 15)
}
