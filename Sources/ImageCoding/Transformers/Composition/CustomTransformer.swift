// SPDX-License-Identifier: MIT
/// A transformer made of a closure and a key.
public struct CustomTransformer: ImageTransforming {
    /// The name `custom` and the text that stands for the closure.
    public let key: String
    private let size: @Sendable (PixelSize) -> PixelSize
    private let body: @Sendable (DecodedImage) throws -> DecodedImage

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - key: Stands for what `body` does: other pixels need another key.
    ///   - resultSize: The size of the result. The same size by default.
    ///   - body: Makes the new picture. It may throw any error, and should check for cancellation.
    public init(
        key: String, resultSize: @escaping @Sendable (PixelSize) -> PixelSize = { $0 },
        _ body: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) {
        self.key = "custom(\(KeyText.escaped(key, ")")))"
        size = resultSize
        self.body = body
    }

    /// What the closure for it returns.
    public func resultSize(for size: PixelSize) -> PixelSize { self.size(size) }

    /// Calls the closure.
    ///
    /// - Throws: What the closure throws.
    public func transform(_ image: DecodedImage) throws -> DecodedImage { try body(image) }
}

extension ImageTransforming where Self == CustomTransformer {
    /// Calls a closure.
    ///
    /// - Parameters:
    ///   - key: Stands for what `body` does: other pixels need another key.
    ///   - body: Makes the new picture, of the same size.
    public static func custom(
        key: String, _ body: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) -> CustomTransformer {
        CustomTransformer(key: key, body)
    }
}
