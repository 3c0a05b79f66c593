// SPDX-License-Identifier: MIT
/// Rounds corners, and draws a border along the edge.
public struct RoundCornersTransformer: ImageTransforming, Hashable {
    /// The radius in pixels; at most half of the shorter side counts.
    let radius: Double
    /// The corners that are rounded.
    let corners: ImageCorners
    /// The width of the border in pixels, inside the edge.
    let borderWidth: Double
    /// The colour of the border.
    let borderColor: PixelColor

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - radius: The radius in pixels, not negative.
    ///   - corners: The corners that are rounded. All by default.
    ///   - borderWidth: The width of the border in pixels, not negative. None by default.
    ///   - borderColor: The colour of the border. Black by default.
    init(
        radius: Double, corners: ImageCorners = .all, borderWidth: Double = 0, borderColor: PixelColor = .black
    ) {
        self.radius = radius
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// The name and every parameter.
    public var key: String { "round(\(radius),\(corners.rawValue),\(borderWidth),\(borderColor))" }

    /// Rounds every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a negative radius or border; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard radius >= 0, borderWidth >= 0 else {
            throw ImageError(code: .invalidRequest, message: "\(key): neither number may be negative.")
        }
        let shape = RoundedShape(
            image.size, radius: radius, corners: corners, border: borderWidth, color: borderColor)
        let clears = radius > 0 && !corners.isEmpty
        return try image.mapFrames(to: image.size, hasAlpha: image.hasAlpha || clears, shape.applied)
    }
}

/// Cuts the largest circle out of the middle of a picture, and draws a border along its edge.
public struct CircleTransformer: ImageTransforming, Hashable {
    /// The width of the border in pixels, inside the edge.
    let borderWidth: Double
    /// The colour of the border.
    let borderColor: PixelColor

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - borderWidth: The width of the border in pixels, not negative. None by default.
    ///   - borderColor: The colour of the border. Black by default.
    init(borderWidth: Double = 0, borderColor: PixelColor = .black) {
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

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
