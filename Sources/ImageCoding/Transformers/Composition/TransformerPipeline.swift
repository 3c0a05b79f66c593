// SPDX-License-Identifier: MIT
/// Several transformers, one after the other.
public struct TransformerPipeline: ImageTransforming {
    /// The transformers in the order they are applied.
    public let transformers: [any ImageTransforming]

    /// Creates a pipeline.
    ///
    /// - Parameter transformers: In the order they are applied. An empty list leaves a picture unchanged.
    package init(_ transformers: [any ImageTransforming]) {
        self.transformers = transformers
    }

    /// The transformers, and those of pipelines among them in their place.
    package var steps: [any ImageTransforming] {
        transformers.flatMap { ($0 as? TransformerPipeline)?.steps ?? [$0] }
    }

    /// The keys of all transformers in order, each escaped and followed by a bar, so that no two lists share a key.
    public var key: String { "[\(transformers.map { KeyText.escaped($0.key, "|") + "|" }.joined())]" }

    /// The size after the last transformer.
    public func resultSize(for size: PixelSize) -> PixelSize {
        transformers.reduce(size) { size, transformer in transformer.resultSize(for: size) }
    }

    /// The most that a step takes, with the pictures between two steps.
    ///
    /// For a still picture: between two steps an animation has all its frames.
    public func workingByteCount(for size: PixelSize) -> Int {
        var (size, most) = (size, 0)
        for transformer in transformers {
            let result = transformer.resultSize(for: size)
            let step = transformer.workingByteCount(for: size).saturatingAdd(size.bitmapByteCount)
                .saturatingAdd(result.bitmapByteCount)
            (size, most) = (result, max(most, step))
        }
        return most
    }

    /// Applies every transformer to the result of the one before.
    ///
    /// - Throws: What the transformers throw.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        try transformers.reduce(image) { image, transformer in
            try Task.checkCancellation()
            return try transformer.transform(image)
        }
    }
}

extension ImageTransforming where Self == TransformerPipeline {
    /// Applies several transformers, one after the other.
    ///
    /// - Parameter transformers: In the order they are applied.
    public static func pipeline(_ transformers: [any ImageTransforming]) -> TransformerPipeline {
        TransformerPipeline(transformers)
    }
}

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
