public import Foundation
public import ImageCoding
import Synchronization
import TaskCoordination

extension ImageManager {
    /// Told how far a flight has come.
    typealias Report = @Sendable (LoadProgress) -> Void

    /// The picture at `url`.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(from url: URL) async throws -> DecodedImage {
        try await image(for: ImageRequest(url))
    }

    /// The picture that `request` asks for.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(for request: ImageRequest) async throws -> DecodedImage {
        try await load(request, onProgress: nil).image
    }

    /// The picture that `request` asks for, and where it came from.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func load(_ request: ImageRequest) async throws -> ImageResponse {
        try await load(request, onProgress: nil).handedOver
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

    nonisolated func load(_ request: ImageRequest, onProgress: Report?) async throws -> ImageResponse {
        try checkOpen(request)
        let variant = request.variantKey
        if let hit = remembered(request, variant) {
            noteMemoryHit(request)
            return hit
        }
        let watch = noteBegin()
        do {
            let response = try await fly(
                request, LoadKey(request, variant: variant), watch, priority: request.priority, onProgress: onProgress)
            noteEnd(request, response.source, watch)
            return response
        } catch {
            noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of `key`, as often as needed.
    ///
    /// - Parameters:
    ///   - watch: Runs since the caller asked.
    ///   - priority: `nil` for the calling task's own, for a flight that stands on another.
    @inline(never) nonisolated func fly(
        _ request: ImageRequest, _ key: LoadKey, _ watch: Stopwatch, priority: ImagePriority?, onProgress: Report?
    ) async throws -> ImageResponse {
        try TransferScope.refuseInside(downloader, request.url)
        while true {
            do {
                return try await loads.value(
                    for: key, priority: priority?.taskPriority, onProgress: onProgress
                ) { start in
                    let journey = try Journey(self, request, key, &start, watch)
                    return { try await journey.run($0) }
                }
            } catch {
                try checkInsistence(request, error)
            }
        }
    }

    /// Throws the error that the caller sees, unless it is to call again: an insisting request has joined the flight of
    /// one that does not insist, and was turned away with it. Such a flight is over as soon as it has begun, so calling
    /// again ends.
    ///
    /// Not inlined: an error takes its room in the frame of every load.
    @inline(never) nonisolated func checkInsistence(_ request: ImageRequest, _ error: any Error) throws {
        if let error = error as? ImageLoadError, error.code == .recentlyFailed, request.retriesFailed { return }
        throw ImageLoadError.mapping(error, url: request.url)
    }

    @inline(never) nonisolated func checkOpen(_ request: ImageRequest) throws {
        if !isOpen.load(ordering: .acquiring) { throw ImageLoadError.shutDown(request.url) }
    }

    /// Whether the load has nowhere to look but the origin.
    nonisolated func isForOrigin(_ request: ImageRequest, _ key: LoadKey) -> Bool {
        guard waitsWithoutTask, request.cachePolicy != .onlyIfCached else { return false }
        if !request.retriesFailed, failures.contains(key) { return false }
        if request.cachePolicy == .reload { return true }
        if mayAskDisk(request) { return false }
        return key.variant == request.originalKey || remembered(request, request.originalKey) == nil
    }

    nonisolated func remembered(_ request: ImageRequest, _ variant: CacheKey) -> ImageResponse? {
        guard request.cachePolicy.readsCachesFirst, request.cacheReads.contains(.memory),
            case .decoded(let response)? = memory.value(for: variant)
        else { return nil }
        return response
    }
}

// MARK: What journeys share with the way to a file

extension ImageManager {
    nonisolated func mayAskDisk(_ request: ImageRequest) -> Bool {
        diskCache != nil && request.cacheReads.contains(.disk) && request.allowsDisk
    }

    /// What the disk cache has under `key`, when the request may ask it.
    nonisolated func diskEntry(for key: CacheKey, _ request: ImageRequest) async throws -> DiskEntry? {
        guard let diskCache, mayAskDisk(request) else { return nil }
        await writes?.settle(key)
        guard let entry = try await diskCache.entry(for: key) else { return nil }
        hub.tally.diskHits.add()
        hub.tell(request.url, .cacheHit(.disk))
        return entry
    }

    /// Runs a transformer or an encoder, and says whose picture it was when that fails.
    nonisolated func processed<T: Sendable>(
        _ request: ImageRequest, _ body: () async throws -> T
    ) async throws -> T {
        do {
            return try await body()
        } catch let error as ImageError {
            throw ImageLoadError(.processingFailed, message: error.message, url: request.url, cause: error)
        }
    }
}
