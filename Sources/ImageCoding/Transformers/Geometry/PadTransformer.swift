// SPDX-License-Identifier: MIT
/// Puts a picture on a larger canvas.
public struct PadTransformer: ImageTransforming, Hashable {
    fileprivate enum Rule: Hashable {
        /// Rows or columns on each side.
        case border(Int)
        /// At least a size, and where the picture is on it.
        case size(PixelSize, Gravity)
    }

    fileprivate let rule: Rule
    fileprivate let color: PixelColor

    /// The name, the canvas and its colour.
    public var key: String {
        switch rule {
        case .border(let count): "pad(\(count),\(count),\(count),\(count),\(color))"
        case .size(let size, let gravity): "extend(\(size),\(gravity),\(color))"
        }
    }

    /// The size of the canvas.
    public func resultSize(for size: PixelSize) -> PixelSize {
        switch rule {
        case .border(let count):
            PixelSize(
                width: max(size.width, 0).saturatingAdd(count.saturatingMultiply(2)),
                height: max(size.height, 0).saturatingAdd(count.saturatingMultiply(2)))
        case .size(let canvas, _):
            PixelSize(width: max(size.width, canvas.width, 0), height: max(size.height, canvas.height, 0))
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
        case .border(let count):
            guard count >= 0 else {
                throw ImageError(code: .invalidRequest, message: "\(key) would cut a picture: use a crop.")
            }
            corner = (count, count)
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
        PadTransformer(rule: .border(count), color: color)
    }

    /// Extends a picture to at least a size.
    ///
    /// A side that is longer stays as it is.
    ///
    /// - Parameters:
    ///   - size: The size of the canvas, in pixels.
    ///   - gravity: Where the picture is on it.
    ///   - color: The colour of the added pixels.
    public static func pad(
        to size: PixelSize, gravity: Gravity = .center, color: PixelColor = .clear
    ) -> PadTransformer {
        PadTransformer(rule: .size(size, gravity), color: color)
    }
}
