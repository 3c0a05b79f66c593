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
        var bytes = pixels.mutableSpan
        for x in columns {
            let distance = distance(Double(x) + 0.5, Double(y) + 0.5)
            let shape = min(max(0.5 - distance, 0), 1)
            let inside = min(max(0.5 - distance - border, 0), 1)
            if inside == 1 { continue }
            let at = (y * size.width + x) * 4
            // The border over the picture, as far as it covers the pixel, then the shape.
            let cover = border > 0 ? 1 - inside : 0
            let rest = 1 - cover * Double(color[3]) / 255
            for channel in 0..<4 {
                let value = (Double(color[channel]) * cover + Double(bytes[at + channel]) * rest) * shape
                bytes[at + channel] = UInt8(min(value + 0.5, 255))
            }
        }
    }

    /// The distance of a point from the edge; negative inside.
    private func distance(_ x: Double, _ y: Double) -> Double {
        let (width, height) = (Double(size.width), Double(size.height))
        let isLeft = x < width / 2
        let isTop = y < height / 2
        let radius = isTop ? (isLeft ? radii.0 : radii.1) : (isLeft ? radii.2 : radii.3)
        let across = abs(x - width / 2) - width / 2 + radius
        let down = abs(y - height / 2) - height / 2 + radius
        let outside = (max(across, 0) * max(across, 0) + max(down, 0) * max(down, 0)).squareRoot()
        return outside + min(max(across, down), 0) - radius
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
