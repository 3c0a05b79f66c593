import Foundation
import ImageCoding
import TaskCoordination

/// The load of one file: look up, take the picture, encode, store. A flight makes one, however many callers wait.
struct FileLoad: Sendable {
    let pipeline: Pipeline
    let request: ImageRequest
    let format: OutputFormat
    /// The name of the file in the caches.
    let name: CacheKey

    /// Whether the file is the original as the origin sent it.
    private var isOriginal: Bool { format == .original && request.transformers.isEmpty }

    /// Runs all stages.
    @concurrent func run(_ report: @escaping Pipeline.Report) async throws -> EncodedImage {
        let claim = ContentOrder.Claim(pipeline.cache.order, request.originalKey)
        defer { extendLifetime(claim) }
        // An earlier flight may have landed after the caller's look into memory and before the start of this one.
        if let hit = pipeline.rememberedFile(request, name) { return hit }
        if let stored = try await stored() {
            remember(stored, number: 0)
            return stored
        }
        let response = try await picture(report)
        if isOriginal, let original = response.original {
            remember(original, number: response.number)
            return original
        }
        let file = try await encode(response)
        try Task.checkCancellation()
        remember(file, number: response.number)
        await store(file, number: response.number)
        return file
    }

    private func stored() async throws -> EncodedImage? {
        guard request.cachePolicy.readsCachesFirst, let entry = try await pipeline.diskEntry(for: name, request)
        else { return nil }
        return EncodedImage(entry)
    }

    /// The picture to encode, or the one that comes with the original file.
    private func picture(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        let key = LoadKey(request, variant: request.variantKey, wantsOriginal: isOriginal)
        if !isOriginal, let hit = pipeline.remembered(request, key.variant) { return hit }
        return try await pipeline.fly(request, key, Stopwatch(), priority: nil, onProgress: report)
    }

    private func encode(_ response: ImageResponse) async throws -> EncodedImage {
        let (image, coders) = (response.image, pipeline.configuration.coders)
        let encoded = format.encodedFormat(original: response.format, coders: coders)
        let bytes = try await pipeline.processed(request) {
            try await pipeline.processing.encode(image, as: encoded, holding: response.share)
        }
        let properties = try? coders.properties(of: bytes)
        return EncodedImage(
            bytes: bytes, format: encoded.format, width: image.width, height: image.height,
            frameCount: properties?.frameCount ?? 1, source: response.source)
    }

    private func remember(_ file: EncodedImage, number: Int) {
        pipeline.cache.remember(.encoded(file.from(.memory), number: number), as: .file(name), request)
    }

    private func store(_ file: EncodedImage, number: Int) async {
        let entry = DiskEntry(file, url: request.url)
        await pipeline.cache.store(as: name, request, number: number) { entry }
    }
}
