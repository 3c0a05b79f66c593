// SPDX-License-Identifier: MIT
/// Puts a picture on a larger canvas.
public struct PadTransformer: ImageTransforming, Hashable {
    private enum Rule: Hashable {
        case edges(top: Int, left: Int, bottom: Int, right: Int)
        case size(PixelSize, Gravity)
    }

    private let rule: Rule
    private let color: PixelColor

    /// Creates a transformer that adds a number of pixels on each side.
    ///
    /// - Parameters:
    ///   - top: Rows above, not negative.
    ///   - left: Columns to the left, not negative.
    ///   - bottom: Rows below, not negative.
    ///   - right: Columns to the right, not negative.
    ///   - color: The colour of the added pixels. Transparent by default.
    init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: PixelColor = .clear) {
        rule = .edges(top: top, left: left, bottom: bottom, right: right)
        self.color = color
    }

    /// Creates a transformer that extends a picture to at least a size.
    ///
    /// A side that is longer stays as it is.
    ///
    /// - Parameters:
    ///   - size: The size of the canvas, in pixels.
    ///   - gravity: Where the picture is on it. In the middle by default.
    ///   - color: The colour of the added pixels. Transparent by default.
    init(to size: PixelSize, gravity: Gravity = .center, color: PixelColor = .clear) {
        rule = .size(size, gravity)
        self.color = color
    }

    /// The name, the canvas and its colour.
    public var key: String {
        switch rule {
        case .edges(let top, let left, let bottom, let right): "pad(\(top),\(left),\(bottom),\(right),\(color))"
        case .size(let size, let gravity): "extend(\(size),\(gravity),\(color))"
        }
    }

    /// The size of the canvas.
    public func resultSize(for size: PixelSize) -> PixelSize {
        switch rule {
        case .edges(let top, let left, let bottom, let right):
            PixelSize(
                width: max(size.width, 0).saturatingAdd(max(left, 0)).saturatingAdd(max(right, 0)),
                height: max(size.height, 0).saturatingAdd(max(top, 0)).saturatingAdd(max(bottom, 0)))
        case .size(let canvas, _):
            PixelSize(
                width: max(size.width, canvas.width, 0), height: max(size.height, canvas.height, 0))
        }
    }

    /// Puts every frame on the canvas.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a negative number of rows or columns, `.tooLarge` for a
    ///   canvas beyond the default ``ImageLimits``; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let (canvas, size) = (resultSize(for: image.size), image.size)
        let corner: (x: Int, y: Int)
        switch rule {
        case .edges(let top, let left, let bottom, let right):
            guard min(top, left, bottom, right) >= 0 else {
                throw ImageError(code: .invalidRequest, message: "\(key) would cut a picture: use a crop.")
            }
            corner = (left, top)
        case .size(_, let gravity): corner = gravity.corner(of: size, in: canvas)
        }
        if canvas == size { return image }
        try ImageLimits.default.check(canvas, frames: image.frameCount, onDemand: image.makesFramesOnDemand)
        let place = PixelRect(x: corner.x, y: corner.y, width: size.width, height: size.height)
        return try image.mapFrames(to: canvas, hasAlpha: image.hasAlpha || color.alpha < 255) { [color] pixels in
            var padded = try PremultipliedCanvas(canvas, color: color)
            try padded.replace(place, by: pixels)
            return padded.pixels
        }
    }
}

extension ImageTransforming where Self == PadTransformer {
    /// Adds the same number of pixels on each side.
    ///
    /// - Parameters:
    ///   - count: Rows or columns on each side, not negative.
    ///   - color: The colour of the added pixels.
    public static func pad(by count: Int, color: PixelColor = .clear) -> PadTransformer {
        PadTransformer(top: count, left: count, bottom: count, right: count, color: color)
    }

    /// Extends a picture to at least a size.
    ///
    /// - Parameters:
    ///   - size: The size of the canvas, in pixels.
    ///   - gravity: Where the picture is on it.
    ///   - color: The colour of the added pixels.
    public static func pad(
        to size: PixelSize, gravity: Gravity = .center, color: PixelColor = .clear
    ) -> PadTransformer {
        PadTransformer(to: size, gravity: gravity, color: color)
    }
}
