// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TaskCoordination

/// The load of one picture: look up, fetch, decode and transform, keep. A flight makes one, however many callers wait.
///
/// Pixels are touched only on the processing pool.
struct PictureLoad: Sendable {
    let load: OriginalLoad

    var request: ImageRequest { load.request }
    var pipeline: Pipeline { load.pipeline }
    var name: CacheKey { load.key.variant }

    /// Whether the picture has a name of its own in the caches, beside the original's.
    private var isVariant: Bool { !name.isOriginal }

    /// Runs all stages.
    func run(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        // An earlier flight may have landed after the caller's look into memory and before the start of this one.
        if let hit = pipeline.remembered(request, name) { return hit }
        return try await load.run {
            guard let shared = load.caches.sharing else { return try await stages(report) }
            return try await load.sharing(nil, in: shared) { try await stages(report) }
        }
    }

    private func stages(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        try await load.key.isRuled ? ruled(report) : picture(report)
    }

    func picture(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        if isVariant, request.cachePolicy.readsCachesFirst {
            if let stored = try await stored() { return stored }
            if let made = try await load.variantOfMemory() { return await kept(made) }
        }
        let held = request.cachePolicy.sendsValidators ? pipeline.held(request, name) : nil
        switch try await load.original(report, held: held?.origin) {
        case .confirmed(let origin, let number):
            // Only what memory held had validators.
            guard let held else { throw ImageLoadError.unexpectedConfirmation(request.url) }
            return held.confirmed(origin, number: number, metrics: load.metrics)
        case .original(let original):
            if original.arrival == .confirmed, let same = try await unchanged(original, held) { return same }
            return try await finished(load.processed(original, report))
        }
    }

    /// The picture that an earlier load has stored on disk.
    ///
    /// - Parameter generation: The original that it must have been made from; `nil` for any.
    private func stored(madeFrom generation: ContentGeneration? = nil) async throws -> ImageResponse? {
        guard isVariant, let entry = try await load.diskEntry(for: name, request.cacheReads.variant),
            generation == nil || entry.metadata.madeFrom == generation,
            let format = ImageFormat.all.first(where: { $0.name == entry.metadata.format })
        else { return nil }
        do {
            let (image, share) = try await pipeline.processing.decode(entry.bytes, for: request)
            let response = ImageResponse(
                .init(
                    image: image, format: format, isLossless: entry.metadata.isMadeFromLossless,
                    generation: entry.metadata.madeFrom),
                .init(source: .disk, metrics: load.metrics, share: share))
            remember(response)
            return response
        } catch let error where !(error is CancellationError || error is CoordinationError) {
            // A broken variant counts as a miss: it is made again from the original. Overload and cancellation are
            // errors.
            return nil
        }
    }

    /// The picture in memory or on disk, if it was made from this original, which the origin has confirmed.
    private func unchanged(_ original: Original, _ held: ImageResponse?) async throws -> ImageResponse? {
        let generation = original.generation
        if let held, held.generation == generation {
            return held.confirmed(original.origin, number: original.number, metrics: load.metrics)
        }
        return try await stored(madeFrom: generation)?
            .confirmed(original.origin, number: original.number, metrics: load.metrics)
    }

    /// The requested picture, made from the original.
    func finished(_ processed: ProcessedOriginal) async throws -> ImageResponse {
        let original = processed.original
        try Task.checkCancellation()
        let image = try await pipeline.processed(request) { try processed.picture.get() }
        let took = processed.decodeTook + (processed.transformTook ?? .zero)
        pipeline.hub.tell(request, .decoded(width: image.width, height: image.height, took: took))
        return await kept(
            ImageResponse(
                processed.content(image),
                .init(
                    source: original.source, original: original.encoded(processed.properties), metrics: load.metrics,
                    share: processed.share)))
    }

    /// Stores the picture: memory first, then the landing, so that a caller after the landing finds it, and nothing is
    /// downloaded twice.
    private func kept(_ response: ImageResponse) async -> ImageResponse {
        remember(response)
        await store(response)
        return response
    }

    private func remember(_ response: ImageResponse) {
        load.remember(.decoded(response.content), as: .picture(name), request.cacheWrites.variant)
    }

    private func store(_ response: ImageResponse) async {
        guard isVariant, load.mayStore(request.cacheWrites.variant),
            let making = pipeline.variantEntry(
                response, for: request, madeFrom: load.recordedGeneration(response.generation))
        else { return }
        let byteCount = response.image.byteCount + (response.origin?.heapByteCount ?? 0)
        await load.store(as: name, number: response.number, byteCount: byteCount, making)
    }
}

extension Pipeline {
    /// What makes the entry of a small still variant; `nil` for one that is not kept on disk. Larger ones are made
    /// again from the original.
    func variantEntry(
        _ response: ImageResponse, for request: ImageRequest, madeFrom generation: ContentGeneration?
    ) -> WriteBehind.Making? {
        let (image, policy) = (response.image, configuration.variantStorage)
        guard image.frameCount == 1, image.width * image.height <= policy.maximumPixelCount else { return nil }
        let (processing, format) = (processing, response.format)
        return {
            let bytes = try await processing.encode(
                image, as: policy.format, for: request, priority: .background, holding: nil)
            var metadata = EntryMetadata(
                url: request.url.absoluteString, format: format.name, pixelWidth: image.width,
                pixelHeight: image.height, frameCount: 1)
            metadata.madeFrom = generation
            metadata.isMadeFromLossless = response.isLossless
            return DiskEntry(metadata: metadata, bytes: bytes)
        }
    }
}
