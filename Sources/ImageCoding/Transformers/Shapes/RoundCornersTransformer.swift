// SPDX-License-Identifier: MIT
import CImageShims

/// Rounds corners, and draws a border along the edge.
public struct RoundCornersTransformer: ImageTransforming, Hashable {
    /// The radius in pixels; at most half of the shorter side counts.
    let radius: Double
    /// The corners that are rounded.
    var corners = ImageCorners.all
    /// The width of the border in pixels, inside the edge.
    var borderWidth = 0.0
    /// The colour of the border.
    var borderColor = PixelColor.black

    /// The name and every parameter.
    public var key: String { "round(\(radius),\(corners.rawValue),\(borderWidth),\(borderColor))" }

    /// Rounds every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a negative radius or border; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard radius >= 0, borderWidth >= 0 else {
            throw ImageError(code: .invalidRequest, message: "\(key): neither number may be negative.")
        }
        let (size, color, shorter) = (image.size, borderColor.premultiplied, min(image.width, image.height))
        let most = min(radius, Double(shorter) / 2)
        func length(_ corner: ImageCorners) -> Double { corners.contains(corner) ? most : 0 }
        var shape = swi_shape()
        (shape.width, shape.height) = (Int64(size.width), Int64(size.height))
        shape.radii = (length(.topLeft), length(.topRight), length(.bottomLeft), length(.bottomRight))
        shape.border = borderWidth
        shape.color = (color[0], color[1], color[2], color[3])
        let clears = radius > 0 && !corners.isEmpty
        // The distance from the edge below which pixels change.
        let reach = Int(atLeastOne: max(corners.isEmpty ? 0 : most, borderWidth).rounded(.up) + 1)
        let (across, down) = (min(reach, size.width), min(reach, size.height))
        return try image.mapFrames(to: size, hasAlpha: image.hasAlpha || clears) { [shape] pixels in
            var (result, shape) = (pixels, shape)
            for y in 0..<size.height {
                if y % 16 == 0 { try Task.checkCancellation() }
                let isInside = y >= down && y < size.height - down
                let ends = isInside ? [0..<across, max(size.width - across, across)..<size.width] : [0..<size.width]
                for columns in ends {
                    unsafe swi_round_row(
                        &result, &shape, Int64(y), Int64(columns.lowerBound), Int64(columns.upperBound))
                }
            }
            return result
        }
    }
}

/// Cuts the largest circle out of the middle of a picture, and draws a border along its edge.
public struct CircleTransformer: ImageTransforming, Hashable {
    /// The width of the border in pixels, inside the edge.
    var borderWidth = 0.0
    /// The colour of the border.
    var borderColor = PixelColor.black

    /// The name and the border.
    public var key: String { "circle(\(borderWidth),\(borderColor))" }

    /// A square of the shorter side.
    public func resultSize(for size: PixelSize) -> PixelSize {
        let side = max(min(size.width, size.height), 0)
        return PixelSize(width: side, height: side)
    }

    /// Cuts every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a negative border; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let size = resultSize(for: image.size)
        let corner = Gravity.center.corner(of: size, in: image.size)
        let square = CropTransformer(PixelRect(x: corner.x, y: corner.y, width: size.width, height: size.height))
        let round = RoundCornersTransformer(
            radius: Double(size.width) / 2, borderWidth: borderWidth, borderColor: borderColor)
        return try round.transform(square.transform(image))
    }
}

extension ImageTransforming where Self == RoundCornersTransformer {
    /// Rounds corners, and draws a border along the edge.
    ///
    /// - Parameters:
    ///   - radius: The radius in pixels, not negative.
    ///   - corners: The corners that are rounded.
    ///   - borderWidth: The width of the border in pixels, not negative.
    ///   - borderColor: The colour of the border.
    public static func round(
        radius: Double, corners: ImageCorners = .all, borderWidth: Double = 0, borderColor: PixelColor = .black
    ) -> RoundCornersTransformer {
        RoundCornersTransformer(
            radius: radius, corners: corners, borderWidth: borderWidth, borderColor: borderColor)
    }
}

extension ImageTransforming where Self == CircleTransformer {
    /// Cuts out the largest circle in the middle.
    public static var circle: CircleTransformer { CircleTransformer() }
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
