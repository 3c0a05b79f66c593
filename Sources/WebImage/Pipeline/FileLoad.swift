// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TaskCoordination

/// The load of one file: look up, fetch, decode and transform, encode, keep. A flight makes one, however many callers
/// wait.
struct FileLoad: Sendable {
    let load: OriginalLoad
    let format: OutputFormat

    var request: ImageRequest { load.request }
    var pipeline: Pipeline { load.pipeline }
    var name: CacheKey { load.key.variant }
    /// Whether the file is the original as the origin sent it.
    private var isOriginal: Bool { request.isForOriginalFile(format) }
    private var reads: CacheTiers { isOriginal ? request.cacheReads.original : request.cacheReads.file }
    private var writes: CacheTiers { isOriginal ? request.cacheWrites.original : request.cacheWrites.file }

    /// Runs all stages.
    func run(_ report: @escaping Pipeline.Report) async throws -> EncodedImage {
        // An earlier flight may have landed after the caller's look into memory and before the start of this one.
        if let hit = pipeline.rememberedFile(request, format, name) { return hit }
        return try await load.run {
            guard let shared = load.caches.sharing else { return try await stages(report) }
            return try await load.sharing(isOriginal ? nil : name, in: shared) { try await stages(report) }
        }
    }

    private func stages(_ report: @escaping Pipeline.Report) async throws -> EncodedImage {
        try await load.key.isRuled ? ruled(report) : file(report)
    }

    func file(_ report: @escaping Pipeline.Report) async throws -> EncodedImage {
        if request.cachePolicy.readsCachesFirst {
            if let stored = try await stored() { return stored }
            if !isOriginal, let picture = try await pictureOfMemory() {
                return try await encoded(picture)
            }
        }
        let held = request.cachePolicy.sendsValidators ? pipeline.heldFile(request, format, name) : nil
        switch try await load.original(report, held: held?.origin) {
        case .confirmed(let origin, let number):
            // Only what memory held had validators.
            guard let held else { throw ImageLoadError.unexpectedConfirmation(request.url) }
            return held.confirmed(origin, number: number)
        case .original(let original):
            if original.arrival == .confirmed, let same = try await unchanged(original, held) { return same }
            return try await finished(load.processed(original, report))
        }
    }

    /// The file that an earlier load has stored on disk.
    ///
    /// - Parameter generation: The original that it must have been made from; `nil` for any.
    private func stored(madeFrom generation: ContentGeneration? = nil) async throws -> EncodedImage? {
        guard let entry = try await load.diskEntry(for: name, reads),
            generation == nil || entry.metadata.madeFrom == generation, let file = EncodedImage(entry)
        else { return nil }
        remember(file)
        return file
    }

    /// The picture that memory holds, or that can be made from one that it holds.
    private func pictureOfMemory() async throws -> ImageResponse? {
        if let picture = pipeline.remembered(request, request.variantKey) { return picture }
        guard let made = try await load.variantOfMemory() else { return nil }
        remember(made)
        return made
    }

    /// The file in memory or on disk, if it was made from this original, which the origin has confirmed.
    private func unchanged(_ original: Original, _ held: EncodedImage?) async throws -> EncodedImage? {
        guard !isOriginal else { return nil }
        let generation = original.generation
        if let held, held.generation == generation {
            return held.confirmed(original.origin, number: original.number)
        }
        return try await stored(madeFrom: generation)?.confirmed(original.origin, number: original.number)
    }

    func finished(_ processed: ProcessedOriginal) async throws -> EncodedImage {
        let original = processed.original
        try Task.checkCancellation()
        let image = try await pipeline.processed(request) { try processed.picture.get() }
        let took = processed.decodeTook + (processed.transformTook ?? .zero)
        pipeline.hub.tell(request, .decoded(width: image.width, height: image.height, took: took))
        let response = ImageResponse(
            processed.content(image),
            .init(source: original.source, metrics: load.metrics, share: processed.share))
        remember(response)
        guard isOriginal else {
            return try await encoded(response)
        }
        var file = original.encoded(processed.properties)
        file.generation = processed.generation
        remember(file)
        return file
    }

    private func encoded(_ response: ImageResponse) async throws -> EncodedImage {
        let (image, coders) = (response.image, pipeline.coders(for: request))
        let encoded = format.encodedFormat(
            original: response.format, isLossless: response.isLossless, coders: coders)
        let bytes = try await pipeline.processed(request) {
            try await pipeline.processing.encode(image, as: encoded, for: request, holding: response.share)
        }
        try Task.checkCancellation()
        let properties = try? coders.properties(of: bytes)
        var file = EncodedImage(
            bytes: bytes, format: encoded.format, width: image.width, height: image.height,
            frameCount: properties?.frameCount ?? 1, source: response.source, origin: response.origin)
        file.number = response.number
        file.generation = response.generation
        remember(file)
        await store(file)
        return file
    }

    /// The picture is decoded already, so that a load of the same variant need not decode it.
    private func remember(_ picture: ImageResponse) {
        guard pipeline.configuration.keepsPicturesOfFiles else { return }
        load.remember(
            .decoded(picture.content), as: .picture(request.variantKey), request.cacheWrites.variant)
    }

    private func remember(_ file: EncodedImage) {
        load.remember(.encoded(Shared(file.from(.memory))), as: .file(name), writes)
    }

    private func store(_ file: EncodedImage) async {
        guard load.mayStore(writes) else { return }
        var entry = DiskEntry(file, url: request.url)
        entry.metadata.madeFrom = load.recordedGeneration(file.generation)
        let byteCount = file.bytes.count + (file.origin?.heapByteCount ?? 0)
        await load.store(as: name, number: file.number, byteCount: byteCount) { [entry] in entry }
    }
}
