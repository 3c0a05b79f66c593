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
    var steps: [any ImageTransforming] {
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
