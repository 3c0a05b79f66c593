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
    ) {
        if let format {
            let key = LoadKey(request, variant: request.encodedKey(format))
            encodings.escalate(key, to: priority.taskPriority)
        } else {
            loads.escalate(LoadKey(request, variant: request.variantKey), to: priority.taskPriority)
        }
    }

    nonisolated func load(
        _ request: ImageRequest, onProgress: Report?
    ) async throws -> ImageResponse {
        guard isOpen.load(ordering: .acquiring) else { throw ImageLoadError.shutDown(request.url) }
        let variant = request.variantKey
        if let hit = remembered(request, variant) {
            noteMemoryHit(request)
            return hit
        }
        let start = noteBegin()
        do {
            let response = try await fly(
                request, LoadKey(request, variant: variant), priority: request.priority.taskPriority,
                onProgress: onProgress)
            noteEnd(request, response.source, since: start)
            return response
        } catch {
            noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of `key`.
    ///
    /// - Parameter priority: `nil` for the calling task's own, for a flight that stands on another.
    nonisolated func fly(
        _ request: ImageRequest, _ key: LoadKey, priority: TaskPriority?, onProgress: Report? = nil
    ) async throws -> ImageResponse {
        try await insisting(request) {
            try await self.loads.value(
                for: key, priority: priority, onProgress: onProgress
            ) { report in
                try await self.travel(request, key, report)
            }
        }
    }

    /// Calls again when an insisting request has joined the flight of one that does not insist and was turned away
    /// with it. Such a flight is over as soon as it has begun, so this ends.
    nonisolated func insisting<T>(_ request: ImageRequest, _ call: () async throws -> T) async throws -> T {
        while true {
            do {
                return try await call()
            } catch let error as ImageLoadError where error.code == .recentlyFailed && request.retriesFailed {
                continue
            } catch {
                throw ImageLoadError.mapping(error, url: request.url)
            }
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
    typealias Report = @Sendable (LoadProgress) -> Void

    /// One flight from the caches to the origin and back. Runs once however many callers wait for it.
    @concurrent
    private nonisolated func travel(
        _ request: ImageRequest, _ key: LoadKey, _ report: @escaping Report
    ) async throws -> ImageResponse {
        newest.enter(request.originalKey)
        defer { newest.leave(request.originalKey) }
        // An earlier flight may have landed between the caller's look into memory and this one's start.
        if !key.wantsOriginal, let hit = remembered(request, key.variant) { return hit }
        if !request.retriesFailed, let failure = await recentFailure(for: key) { throw failure.repeated() }
        do {
            let response = try await freshResponse(request, key, report)
            if request.retriesFailed { await forgetFailure(for: key) }
            return response
        } catch let error as ImageLoadError {
            // A coder or transport that is cut short may call the file broken.
            try Task.checkCancellation()
            await record(error, for: key)
            throw error
        }
    }

    private nonisolated func freshResponse(
        _ request: ImageRequest, _ key: LoadKey, _ report: @escaping Report
    ) async throws -> ImageResponse {
        var metrics = LoadMetrics()
        let isVariant = !key.wantsOriginal && key.variant != request.originalKey
        if isVariant, let stored = try await storedVariant(request, key, &metrics) {
            remember(stored, request, key)
            return stored
        }
        let response =
            if isVariant, !request.firstFrameOnly, let whole = remembered(request, request.originalKey) {
                try await variant(of: whole, request, &metrics)
            } else {
                try await makePicture(request, key, &metrics, report)
            }
        try Task.checkCancellation()
        // Memory first, then landing: whoever comes after the landing finds the picture, and nobody downloads twice.
        remember(response, request, key)
        await store(response, request, key)
        return response
    }

    /// Transforms the untransformed picture that memory had.
    private nonisolated func variant(
        of whole: ImageResponse, _ request: ImageRequest, _ metrics: inout LoadMetrics
    ) async throws -> ImageResponse {
        let image = try await transform(whole.image, request, by: request.transformers[...], &metrics)
        return ImageResponse(
            image: image, format: whole.format, source: whole.source, metrics: metrics, number: whole.number)
    }

    /// Decodes the original, and transforms it.
    private nonisolated func makePicture(
        _ request: ImageRequest, _ key: LoadKey, _ metrics: inout LoadMetrics, _ report: @escaping Report
    ) async throws -> ImageResponse {
        let decoded = try await decodedOriginal(request, &metrics, report)
        let original = decoded.original
        try Task.checkCancellation()
        if original.source == .network { await keep(decoded, request) }
        // A leading transformer that the decoder has taken over is done.
        let transformers = request.transformers.dropFirst(request.thumbnail == nil ? 0 : 1)
        let transformed = try await transform(decoded.image, request, by: transformers, &metrics)
        let took = (metrics.decode ?? .zero) + (metrics.transform ?? .zero)
        hub.tell(request.url, .decoded(width: transformed.width, height: transformed.height, took: took))
        return ImageResponse(
            image: transformed, format: decoded.properties.format, source: original.source,
            original: original.encoded(decoded.properties), metrics: metrics, number: original.number)
    }

    private nonisolated func remember(_ response: ImageResponse, _ request: ImageRequest, _ key: LoadKey) {
        guard request.cacheWrites.contains(.memory) else { return }
        let picture = CachedPicture.decoded(response.remembered)
        newest.ifCurrent(response.number, of: request.originalKey) {
            _ = memory.store(picture, for: key.variant, cost: picture.cost)
        }
    }
}
