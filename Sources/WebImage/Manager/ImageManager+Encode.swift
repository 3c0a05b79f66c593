import Foundation
import ImageCoding
import Synchronization
import TaskCoordination

extension ImageManager {
    /// The picture that `request` asks for, as a file.
    ///
    /// The file is cached in memory and on disk, so a later call neither decodes nor encodes. ``OutputFormat/original``
    /// without transformers is the file as the origin sent it, checked to be a picture.
    ///
    /// - Parameters:
    ///   - request: The picture.
    ///   - format: The file to make of it.
    ///   - onProgress: Told how much of the original has arrived, in order. Runs in the calling task on a thread apart:
    ///     one that blocks holds up this call alone.
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func data(
        for request: ImageRequest, as format: OutputFormat = .original,
        onProgress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> EncodedImage {
        try checkOpen(request)
        let name = request.encodedKey(format)
        if let hit = rememberedFile(request, name) {
            noteMemoryHit(request)
            return hit
        }
        let watch = noteBegin()
        do {
            let file = try await flyToFile(request, format, name, onProgress)
            noteEnd(request, file.source, watch)
            return file
        } catch {
            noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight to the file called `name`.
    private nonisolated func flyToFile(
        _ request: ImageRequest, _ format: OutputFormat, _ name: CacheKey, _ onProgress: Report?
    ) async throws -> EncodedImage {
        let hearing = ProgressHandler.isolating(onProgress, unlessOn: executor)
        while true {
            do {
                try TransferScope.refuseInside(downloader, request.url)
                return try await encodings.value(
                    for: LoadKey(request, variant: name), priority: request.priority.taskPriority,
                    onProgress: hearing
                ) { report in
                    try await self.makeFile(request, format, name, report)
                }
            } catch {
                try checkInsistence(request, error)
            }
        }
    }

    private nonisolated func rememberedFile(_ request: ImageRequest, _ name: CacheKey) -> EncodedImage? {
        guard request.cachePolicy.readsCachesFirst, request.cacheReads.contains(.memory),
            case .encoded(let file)? = memory.value(for: name)
        else { return nil }
        return file
    }

    /// One flight to the file: from the caches, else made from the picture.
    @concurrent
    private nonisolated func makeFile(
        _ request: ImageRequest, _ format: OutputFormat, _ name: CacheKey, _ report: @escaping Report
    ) async throws -> EncodedImage {
        let visit = NewestContent.Visit(newest, request.originalKey)
        defer { extendLifetime(visit) }
        if let hit = rememberedFile(request, name) { return hit }
        if let stored = try await storedFile(request, name) {
            remember(stored, request, name, number: 0)
            return stored
        }
        let isOriginal = format == .original && request.transformers.isEmpty
        let key = LoadKey(request, variant: request.variantKey, wantsOriginal: isOriginal)
        let response =
            if !isOriginal, let hit = remembered(request, key.variant) { hit } else {
                try await fly(request, key, Stopwatch(), priority: nil, onProgress: report)
            }
        if isOriginal, let original = response.original {
            remember(original, request, name, number: response.number)
            return original
        }
        let file = try await encode(response, request, format)
        try Task.checkCancellation()
        remember(file, request, name, number: response.number)
        await store(file, request, name, number: response.number)
        return file
    }

    private nonisolated func storedFile(_ request: ImageRequest, _ name: CacheKey) async throws -> EncodedImage? {
        guard request.cachePolicy.readsCachesFirst, let entry = try await diskEntry(for: name, request)
        else { return nil }
        return EncodedImage(entry)
    }

    private nonisolated func encode(
        _ response: ImageResponse, _ request: ImageRequest, _ format: OutputFormat
    ) async throws -> EncodedImage {
        let image = response.image
        let encoded = format.encodedFormat(original: response.format, coders: configuration.coders)
        let bytes = try await processed(request) {
            try await processing.encode(image, as: encoded, holding: response.share)
        }
        let properties = try? configuration.coders.properties(of: bytes)
        return EncodedImage(
            bytes: bytes, format: encoded.format, width: image.width, height: image.height,
            frameCount: properties?.frameCount ?? 1, source: response.source)
    }

    private nonisolated func remember(
        _ file: EncodedImage, _ request: ImageRequest, _ name: CacheKey, number: Int
    ) {
        guard request.cacheWrites.contains(.memory) else { return }
        let picture = CachedPicture.encoded(file.from(.memory))
        newest.ifCurrent(number, of: request.originalKey) {
            _ = memory.store(picture, for: name, cost: picture.cost)
        }
    }

    private nonisolated func store(
        _ file: EncodedImage, _ request: ImageRequest, _ name: CacheKey, number: Int
    ) async {
        guard let writes, request.cacheWrites.contains(.disk), request.allowsDisk else { return }
        let entry = DiskEntry(file, url: request.url)
        let (original, newest) = (request.originalKey, newest)
        await writes.submit(for: name, if: { newest.isCurrent(number, of: original) }) { entry }
    }
}
