// SPDX-License-Identifier: MIT
/// Mirrors a picture.
public struct FlipTransformer: ImageTransforming, Hashable {
    /// The direction in which a picture is mirrored.
    public enum Axis: String, Hashable, Sendable, CaseIterable {
        /// Left becomes right.
        case horizontal
        /// Top becomes bottom.
        case vertical
    }

    /// The direction.
    let axis: Axis

    /// Creates a transformer.
    ///
    /// - Parameter axis: The direction in which a picture is mirrored.
    init(_ axis: Axis) {
        self.axis = axis
    }

    /// The name and the direction.
    public var key: String { "flip(\(axis.rawValue))" }

    /// Mirrors every frame.
    ///
    /// - Throws: `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let (size, orientation) = (image.size, axis == .horizontal ? ImageOrientation.upMirrored : .downMirrored)
        return try image.mapFrames(to: size) { try Bitmap.turned($0, size: size, orientation) }
    }
}

extension ImageTransforming where Self == FlipTransformer {
    /// Mirrors a picture.
    ///
    /// - Parameter axis: The direction in which it is mirrored.
    public static func flip(_ axis: FlipTransformer.Axis) -> FlipTransformer { FlipTransformer(axis) }
}
