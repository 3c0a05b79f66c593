// SPDX-License-Identifier: MIT
public import ImageCoding

/// A transformer that needs something before it can work, such as a second picture.
///
/// A load prepares its transformers after its own file has come and before it asks for memory to decode it. A picture
/// that memory or disk has already is not prepared again.
public protocol PreparingTransformer: ImageTransforming {
    /// Makes the transformer that works in place of this one, under this one's `key`.
    ///
    /// **Cancellation**: a load that is cancelled cancels the call.
    ///
    /// **Priority**: what `loader` loads is more urgent than the picture, whose file is in memory meanwhile.
    ///
    /// - Parameter loader: The manager that loads the picture. Its other loads go on meanwhile.
    /// - Throws: Any error: the load fails with ``ImageLoadError/Code/processingFailed`` and this cause.
    func prepared(with loader: any ImageLoading) async throws -> any ImageTransforming
}

/// The result of a preparation, under the name that the caches know.
private struct PreparedTransformer: ImageTransforming {
    let key: String
    let base: any ImageTransforming

    func transform(_ image: DecodedImage) throws -> DecodedImage { try base.transform(image) }
    func resultSize(for size: PixelSize) -> PixelSize { base.resultSize(for: size) }
    func workingByteCount(for size: PixelSize) -> Int { base.workingByteCount(for: size) }
}

/// The loads of a pipeline, for the transformers of a load. It holds its original until they have ended, so they go
/// before loads that hold nothing yet.
private struct PipelineLoader: ImageLoading {
    let pipeline: Pipeline
    /// That of the load.
    let priority: ImagePriority

    private func urgent(_ request: ImageRequest) -> ImageRequest {
        var urgent = request
        urgent.priority = ImagePriority(rawValue: max(request.priority, priority).rawValue + 1) ?? .veryHigh
        return urgent
    }

    func load(_ request: ImageRequest) async throws -> ImageResponse {
        try await pipeline.picture(for: urgent(request), onProgress: nil)
    }

    func encodedImage(
        for request: ImageRequest, as format: OutputFormat, onProgress: (@Sendable (LoadProgress) -> Void)?
    ) async throws -> EncodedImage {
        try await pipeline.file(for: urgent(request), as: format, onProgress: onProgress)
    }
}

extension Pipeline {
    /// The request with transformers that are ready to work.
    ///
    /// - Throws: ``ImageLoadError`` with `.processingFailed`; `CancellationError`.
    func withPreparedTransformers(_ request: ImageRequest) async throws -> ImageRequest {
        guard request.transformers.contains(where: Self.needsPreparation) else { return request }
        var prepared = request
        do {
            prepared.transformers = try await ready(
                request.transformers, PipelineLoader(pipeline: self, priority: request.priority))
        } catch {
            try Task.checkCancellation()
            throw ImageLoadError(
                code: .processingFailed, message: "A transformer could not be prepared: \(error)", url: request.url,
                cause: error)
        }
        return prepared
    }

    static func needsPreparation(_ transformer: any ImageTransforming) -> Bool {
        if let pipeline = transformer as? TransformerPipeline {
            return pipeline.transformers.contains(where: needsPreparation)
        }
        return transformer is any PreparingTransformer
    }

    private func ready(
        _ transformers: [any ImageTransforming], _ loader: PipelineLoader
    ) async throws -> [any ImageTransforming] {
        var result: [any ImageTransforming] = []
        for transformer in transformers {
            switch transformer {
            case let pipeline as TransformerPipeline:
                result.append(TransformerPipeline(try await ready(pipeline.transformers, loader)))
            case let preparing as any PreparingTransformer:
                let base = try await preparing.prepared(with: loader)
                result.append(PreparedTransformer(key: preparing.key, base: base))
            default: result.append(transformer)
            }
        }
        return result
    }
}
