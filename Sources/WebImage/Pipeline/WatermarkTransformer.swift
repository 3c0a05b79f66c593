// SPDX-License-Identifier: MIT
public import ImageCoding
import PlatformBasics

/// Draws a second picture over a picture, which the same manager loads: from memory, from disk, or from its origin.
///
/// ```swift
/// let logo = ImageRequest(logoURL, transformers: [.resize(to: PixelSize(width: 64, height: 64))])
/// let request = ImageRequest(url, transformers: [.resize(to: box), .watermark(logo, margin: 8)])
/// ```
///
/// Pictures with the mark are kept under the name of the mark's request: give it another address, or another
/// ``ImageRequest/cacheKey``, when the mark becomes another one.
public struct WatermarkTransformer: PreparingTransformer {
    /// The second picture; of an animation the first frame.
    package let request: ImageRequest
    private let gravity: Gravity
    private let margin: Int
    private let opacity: Double
    private let blend: BlendMode

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - request: The second picture. Parts outside the first one are cut off.
    ///   - gravity: Where it is. The bottom right corner by default.
    ///   - margin: The distance from the edges, in pixels; 0 by default.
    ///   - opacity: 0 (invisible) to 1, clamped.
    ///   - blend: How it is mixed with what is below it.
    package init(
        _ request: ImageRequest, gravity: Gravity = .bottomRight, margin: Int = 0, opacity: Double = 1,
        blend: BlendMode = .normal
    ) {
        self.request = request
        self.gravity = gravity
        self.margin = margin
        self.opacity = opacity
        self.blend = blend
    }

    /// The name, every parameter, and a digest of the name of the second picture, which may hold credentials.
    public var key: String {
        let (high, low) = Digest.of(Array(request.variantKey.rawValue.utf8))
        let name = String(high, radix: 16) + "-" + String(low, radix: 16)
        return "watermark(\(gravity),\(margin),\(opacity),\(blend.rawValue),\(name))"
    }

    /// Loads the second picture.
    ///
    /// - Throws: What the load throws.
    public func prepared(with loader: any ImageLoading) async throws -> any ImageTransforming {
        let mark = try await loader.load(request).image
        return OverlayTransformer(
            mark, named: request.url.absoluteString, gravity: gravity, margin: margin, opacity: opacity, blend: blend)
    }

    /// Always fails: without its second picture there is nothing to draw.
    ///
    /// - Throws: `ImageError` with `.invalidRequest`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        throw ImageError(code: .invalidRequest, message: "A watermark works in a manager's load alone: use an overlay.")
    }
}

extension ImageTransforming where Self == WatermarkTransformer {
    /// Draws a second picture over a picture, which the same manager loads.
    ///
    /// - Parameters:
    ///   - request: The second picture.
    ///   - gravity: Where it is.
    ///   - margin: The distance from the edges, in pixels.
    ///   - opacity: 0 (invisible) to 1, clamped.
    ///   - blend: How it is mixed with what is below it.
    public static func watermark(
        _ request: ImageRequest, gravity: Gravity = .bottomRight, margin: Int = 0, opacity: Double = 1,
        blend: BlendMode = .normal
    ) -> WatermarkTransformer {
        WatermarkTransformer(request, gravity: gravity, margin: margin, opacity: opacity, blend: blend)
    }
}
