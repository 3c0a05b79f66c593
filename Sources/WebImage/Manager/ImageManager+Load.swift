public import Foundation
public import ImageCoding
import Synchronization
import TaskCoordination

extension ImageManager {
    /// The picture at `url`.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(from url: URL) async throws -> DecodedImage {
        try await load(ImageRequest(url)).image
    }

    /// The picture that `request` asks for.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(for request: ImageRequest) async throws -> DecodedImage {
        try await load(request).image
    }

    /// The picture that `request` asks for, and where it came from.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func load(_ request: ImageRequest) async throws -> ImageResponse {
        try await load(request, onProgress: nil)
    }

    /// What the memory cache holds for `request`, without waiting, for callers that must answer in the same turn.
    ///
    /// - Complexity: O(1), under a microsecond; a hit counts as a use.
    public nonisolated func peek(_ request: ImageRequest) -> DecodedImage? {
        guard isOpen.load(ordering: .acquiring) else { return nil }
        guard case .decoded(let response)? = memory.value(for: request.variantKey) else { return nil }
        return response.image
    }

    /// Makes a load that is under way more urgent; a queued download moves forward at once.
    ///
    /// It is raised for everybody who shares it. A priority never falls.
    ///
    /// - Parameters:
    ///   - request: The request as it was made.
    ///   - format: The file that was asked for; nil for a load of pixels.
    ///   - priority: The priority to raise it to.
    public nonisolated func raise(
        _ request: ImageRequest, as format: OutputFormat? = nil, to priority: ImagePriority
    ) async {
        if let format {
            let key = LoadKey(request, variant: request.encodedKey(format))
            await encodings.escalate(key, to: priority.taskPriority)
        } else {
            await loads.escalate(LoadKey(request, variant: request.variantKey), to: priority.taskPriority)
        }
    }

    nonisolated func load(
        _ request: ImageRequest, onProgress: Report?
    ) async throws -> ImageResponse {
        guard isOpen.load(ordering: .acquiring) else { throw ImageLoadError.shutDown(request.url) }
        let variant = request.variantKey
        if let hit = remembered(request, variant) {
            noteMemoryHit(request.url)
            return hit
        }
        return try await observed(request.url, \.source) {
            try await self.fly(
                request, LoadKey(request, variant: variant), priority: request.priority.taskPriority,
                onProgress: onProgress)
        }
    }

    /// Joins or starts the flight of `key`.
    nonisolated func fly(
        _ request: ImageRequest, _ key: LoadKey, priority: TaskPriority, onProgress: Report? = nil
    ) async throws -> ImageResponse {
        do {
            return try await loads.value(
                for: key, priority: priority, onProgress: onProgress
            ) { report in
                try await self.travel(request, key, report)
            }
        } catch {
            throw ImageLoadError.mapping(error, url: request.url)
        }
    }

    nonisolated func remembered(_ request: ImageRequest, _ variant: CacheKey) -> ImageResponse? {
        guard request.cachePolicy.readsCachesFirst, request.cacheReads.contains(.memory),
            case .decoded(let response)? = memory.value(for: variant)
        else { return nil }
        return response
    }
}

// MARK: The journey

extension ImageManager {
    typealias Report = @Sendable (LoadProgress) async -> Void

    /// One flight from the caches to the origin and back. Runs once however many callers wait for it.
    @concurrent
    private nonisolated func travel(
        _ request: ImageRequest, _ key: LoadKey, _ report: @escaping Report
    ) async throws -> ImageResponse {
        // An earlier flight may have landed between the caller's look into memory and this one's start.
        if !key.wantsOriginal, let hit = remembered(request, key.variant) { return hit }
        if !request.retriesFailed, let failure = await recentFailure(for: key) { throw failure.repeated() }
        do {
            let response = try await freshResponse(request, key, report)
            if request.retriesFailed { await forgetFailure(for: key) }
            return response
        } catch let error as ImageLoadError {
            await record(error, for: key)
            throw error
        }
    }

    private nonisolated func freshResponse(
        _ request: ImageRequest, _ key: LoadKey, _ report: @escaping Report
    ) async throws -> ImageResponse {
        var metrics = LoadMetrics()
        if let stored = try await storedVariant(request, key, &metrics) {
            remember(stored, request, key)
            return stored
        }
        let (image, original) = try await makePicture(request, key, &metrics, report)
        let response = ImageResponse(
            image: image, format: original.format, source: original.source, original: original, metrics: metrics)
        // Memory first, then landing: whoever comes after the landing finds the picture, and nobody downloads twice.
        remember(response, request, key)
        await store(response, request, key)
        return response
    }

    /// Decodes the original, and transforms it.
    private nonisolated func makePicture(
        _ request: ImageRequest, _ key: LoadKey, _ metrics: inout LoadMetrics, _ report: @escaping Report
    ) async throws -> (DecodedImage, EncodedImage) {
        let original = try await original(for: request, &metrics, report)
        let (image, properties) = try await decode(original, request, &metrics)
        if original.source == .network { await keep(original, properties, request) }
        let transformed = try await transform(image, request, &metrics)
        let took = (metrics.decode ?? .zero) + (metrics.transform ?? .zero)
        hub.tell(request.url, .decoded(width: transformed.width, height: transformed.height, took: took))
        return (transformed, original.encoded(properties))
    }

    private nonisolated func remember(_ response: ImageResponse, _ request: ImageRequest, _ key: LoadKey) {
        guard request.cacheWrites.contains(.memory) else { return }
        let picture = CachedPicture.decoded(response.from(.memory))
        _ = memory.store(picture, for: key.variant, cost: picture.cost)
    }
}
