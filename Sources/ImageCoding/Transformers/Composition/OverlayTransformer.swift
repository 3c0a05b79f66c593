// SPDX-License-Identifier: MIT
/// Draws a second picture over a picture: a watermark.
public struct OverlayTransformer: ImageTransforming {
    /// The name, the second picture's own, its size and content, and every parameter.
    public let key: String
    private let overlay: DecodedImage
    private let gravity: Gravity
    private let margin: Int
    private let opacity: Double
    private let blend: BlendMode

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - overlay: The second picture, the first frame of an animation. Parts outside the first one are cut off.
    ///   - name: Stands for the second picture in the key, beside a check sum: other pictures need other names.
    ///   - gravity: Where it is. The bottom right corner by default.
    ///   - margin: The distance from the edges, in pixels; 0 by default.
    ///   - opacity: 0 (invisible) to 1, clamped.
    ///   - blend: How it is mixed with what is below it.
    /// - Complexity: O(pixels of `overlay`).
    package init(
        _ overlay: DecodedImage, named name: String, gravity: Gravity = .bottomRight, margin: Int = 0,
        opacity: Double = 1, blend: BlendMode = .normal
    ) {
        self.overlay = overlay.firstFrame
        self.gravity = gravity
        self.margin = margin
        self.opacity = opacity >= 0 ? min(opacity, 1) : 0
        self.blend = blend
        // FNV-1a.
        let sum = overlay.pixels.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        key =
            "overlay(\(KeyText.escaped(name, ",")),\(overlay.size),\(String(sum, radix: 16)),\(gravity),\(margin),"
            + "\(self.opacity),\(blend.rawValue))"
    }

    /// Draws over every frame.
    ///
    /// - Throws: `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard opacity > 0 else { return image }
        // Beyond every picture, and small enough that no sum overflows.
        let margin = min(max(margin, -1 << 40), 1 << 40)
        let inner = PixelSize(width: image.width - 2 * margin, height: image.height - 2 * margin)
        let corner = gravity.corner(of: overlay.size, in: inner)
        let (x, y) = (corner.x + margin, corner.y + margin)
        let (size, overlay, opacity, blend) = (image.size, overlay, opacity, blend)
        return try image.mapFrames(to: size) { pixels in
            var canvas = PremultipliedCanvas(size, pixels)
            try canvas.draw(overlay, x: x, y: y, opacity: opacity, blend: blend)
            return canvas.pixels
        }
    }
}

extension ImageTransforming where Self == OverlayTransformer {
    /// Draws a second picture over a picture.
    ///
    /// - Parameters:
    ///   - overlay: The second picture.
    ///   - name: Stands for the second picture in the key: other pictures need other names.
    ///   - gravity: Where it is.
    ///   - margin: The distance from the edges, in pixels.
    ///   - opacity: 0 (invisible) to 1, clamped.
    ///   - blend: How it is mixed with what is below it.
    public static func overlay(
        _ overlay: DecodedImage, named name: String, gravity: Gravity = .bottomRight, margin: Int = 0,
        opacity: Double = 1, blend: BlendMode = .normal
    ) -> OverlayTransformer {
        OverlayTransformer(
            overlay, named: name, gravity: gravity, margin: margin, opacity: opacity, blend: blend)
    }
}
