// SPDX-License-Identifier: MIT
import CImageShims

/// Draws a second picture over a picture: a watermark.
public struct OverlayTransformer: ImageTransforming {
    /// How the second picture is mixed with what is below it.
    public enum Blend: String, Hashable, Sendable, CaseIterable {
        /// It covers what is below, as far as it is opaque.
        case normal
        /// Colours are multiplied: the result is darker.
        case multiply
        /// The inverses of colours are multiplied: the result is lighter.
        case screen
    }

    /// The name, the second picture's own, its size and content, and every parameter.
    public let key: String
    private let overlay: DecodedImage
    private let gravity: Gravity
    private let margin: Int
    private let opacity: Double
    private let blend: Blend

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
    public init(
        _ overlay: DecodedImage, named name: String, gravity: Gravity = .bottomRight, margin: Int = 0,
        opacity: Double = 1, blend: Blend = .normal
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
        let inner = PixelSize(
            width: image.width.saturatingSubtract(margin.saturatingDouble),
            height: image.height.saturatingSubtract(margin.saturatingDouble))
        let corner = gravity.corner(of: overlay.size, in: inner)
        let (x, xOverflow) = corner.x.addingReportingOverflow(margin)
        let (y, yOverflow) = corner.y.addingReportingOverflow(margin)
        let place = PixelRect(x: x, y: y, width: overlay.width, height: overlay.height)
        guard !xOverflow, !yOverflow, opacity > 0, let part = place.clipped(to: image.size) else { return image }
        let (size, above, width) = (image.size, overlay.pixels, overlay.width)
        let (opacity, blend) = (Float(opacity), blend)
        return try image.mapFrames(to: size) { pixels in
            var result = pixels
            for row in part.y..<part.y + part.height {
                if (row - part.y) % 16 == 0 { try Task.checkCancellation() }
                let from = ((row - y) * width + part.x - x) * 4
                let to = (row * size.width + part.x) * 4
                unsafe above.withUnsafeBufferPointer { source in
                    unsafe result.withUnsafeMutableBufferPointer { bytes in
                        // The part is clipped to both pictures.
                        guard let above = source.baseAddress, let below = bytes.baseAddress else { return }
                        unsafe swi_overlay(above + from, below + to, part.width * 4, opacity, blend.mode)
                    }
                }
            }
            return result
        }
    }
}

extension OverlayTransformer.Blend {
    /// The number of the mode in the shims.
    ///
    /// - Source: W3C Compositing and Blending Level 1, sections 5 and 9.
    fileprivate var mode: Int32 {
        switch self {
        case .normal: 0
        case .multiply: 1
        case .screen: 2
        }
    }
}

extension Int {
    fileprivate var saturatingDouble: Int {
        let (value, overflow) = multipliedReportingOverflow(by: 2)
        return overflow ? (self < 0 ? .min : .max) : value
    }

    fileprivate func saturatingSubtract(_ other: Int) -> Int {
        let (value, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : value
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
        opacity: Double = 1, blend: OverlayTransformer.Blend = .normal
    ) -> OverlayTransformer {
        OverlayTransformer(
            overlay, named: name, gravity: gravity, margin: margin, opacity: opacity, blend: blend)
    }
}
