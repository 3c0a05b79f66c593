// SPDX-License-Identifier: MIT
/// Fills a box and keeps the most interesting part of the picture.
///
/// What is cut off is decided on a small copy, in an animation on that of the first frame, and for all frames alike.
/// Results change when the rules for what is interesting do.
public struct SmartCropTransformer: ImageTransforming, Hashable {
    /// What makes a part interesting.
    public enum Interest: String, Hashable, Sendable, CaseIterable {
        /// Many different shades: for structure anywhere in a picture.
        case entropy
        /// Edges, strong colours and the colours of skin: for things and people in front of a background.
        case attention
    }

    /// The box, in pixels.
    let size: PixelSize
    /// What makes a part interesting.
    let interest: Interest

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - size: The box, in pixels, both sides at least 1. A smaller picture does not grow.
    ///   - interest: What makes a part interesting.
    init(size: PixelSize, interest: Interest = .attention) {
        self.size = size
        self.interest = interest
    }

    /// The name, the box and what is interesting.
    public var key: String { "smartcrop(\(size),\(interest.rawValue))" }

    /// The size that fills the box; none for a box or a picture without area.
    public func resultSize(for size: PixelSize) -> PixelSize {
        ResizeTransformer(size: self.size, mode: .fill).resultSize(for: size)
    }

    /// The small copy, and its scores.
    public func workingByteCount(for size: PixelSize) -> Int { 512 << 10 }

    /// Finds the part, and resizes every frame of it.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a box without area; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let resize = ResizeTransformer(size: size, mode: .fill)
        guard size.width > 0, size.height > 0 else { return try resize.transform(image) }
        return try ResizeTransformer(size: size, mode: .fill, gravity: gravity(in: image)).transform(image)
    }

    /// Where the most interesting part of a picture is.
    ///
    /// - Throws: `CancellationError`.
    func gravity(in image: DecodedImage) throws -> Gravity {
        let sketch = try CropSketch(image)
        // The largest part of the sketch that has the shape of the result.
        let part = resultSize(for: image.size).fitted(into: sketch.size, enlarging: true)
        return try Gravity(
            x: sketch.place(of: part.width, .across, interest), y: sketch.place(of: part.height, .down, interest))
    }
}

extension ImageTransforming where Self == SmartCropTransformer {
    /// Fills a box and keeps the most interesting part of the picture.
    ///
    /// - Parameters:
    ///   - size: The box, in pixels.
    ///   - interest: What makes a part interesting.
    public static func smartCrop(
        to size: PixelSize, interest: SmartCropTransformer.Interest = .attention
    ) -> SmartCropTransformer {
        SmartCropTransformer(size: size, interest: interest)
    }
}
