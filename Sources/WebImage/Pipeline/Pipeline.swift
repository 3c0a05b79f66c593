import Foundation
import HTTPTransport
import ImageCoding
import Synchronization
import TaskCoordination

/// The parts of a manager that loads need.
///
/// The path of a load, in reading order:
///
///     picture(for:) ─► memory hit? ─► joins the flight of its key ─► PictureLoad.run
///     PictureLoad.run:  look up ─► fetch ─► decode and transform ─► keep ─► the flight delivers
///     file(for:as:) ─► memory hit? ─► joins the flight of its key ─► FileLoad.run, which stands on a picture's flight
///
/// An object, so that a load holds one reference. Its parts are constants; mutable parts are isolated or locked.
final class Pipeline: Sendable {
    /// Called with the progress of a flight.
    typealias Report = @Sendable (LoadProgress) -> Void

    let configuration: ImageManager.Configuration
    let memory: MemoryCache<MemoryKey, CachedPicture>
    let disk: DiskCache?
    let downloader: ImageDownloader
    let processing: ImageProcessor
    let cache: CacheWriter
    let failures: RecentFailures
    let hub = ActivityHub()
    /// The flights for decoded pictures.
    let pictures: InFlight<LoadKey, ImageResponse, LoadProgress>
    /// The flights for files. Each waits for the flight of a picture.
    let files: InFlight<LoadKey, EncodedImage, LoadProgress>
    /// Whether a load that needs the origin waits for its transfer without a task.
    let waitsWithoutTask: Bool
    /// Where flights run; `nil` for the global pool.
    let executor: (any TaskExecutor)?
    let isOpen = Atomic<Bool>(true)

    init(_ configuration: ImageManager.Configuration, _ parts: ImageManager.Parts) {
        self.configuration = configuration
        memory = MemoryCache(configuration.memory)
        disk = parts.disk
        cache = CacheWriter(memory, parts.disk.map { WriteBehind(disk: $0, executor: parts.executor) })
        let coders = configuration.coders
        downloader = ImageDownloader(
            configuration: configuration.downloader, transport: parts.transport, hub: hub, contents: cache.order,
            executor: parts.executor, inspect: { try coders.checkSignature($0) })
        processing = ImageProcessor(configuration, pool: parts.processing)
        pictures = InFlight(name: "load", executor: parts.executor)
        files = InFlight(name: "encode", executor: parts.executor)
        failures = RecentFailures(capacity: configuration.failureCapacity, lifetime: configuration.failureLifetime)
        waitsWithoutTask = parts.waitsWithoutTask
        executor = parts.executor
    }

    /// Cancels every load.
    func cancelAll() {
        files.cancelAll()
        pictures.cancelAll()
    }
}

// MARK: - Pictures

extension Pipeline {
    /// The picture that `request` asks for: from memory, else by the flight of its key.
    func picture(for request: ImageRequest, onProgress: Report?) async throws -> ImageResponse {
        try checkOpen(request)
        let variant = request.variantKey
        if let hit = remembered(request, variant) {
            hub.noteMemoryHit(request)
            return hit
        }
        let watch = hub.noteBegin()
        do {
            let key = LoadKey(request, variant: variant)
            let response = try await fly(request, key, watch, priority: request.priority, onProgress: onProgress)
            hub.noteEnd(request, response.source, watch)
            return response
        } catch {
            hub.noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of `key`, as often as needed.
    ///
    /// - Parameters:
    ///   - watch: Runs since the call.
    ///   - priority: `nil` for the priority of the calling task, for a flight that waits for another one.
    @inline(never) func fly(
        _ request: ImageRequest, _ key: LoadKey, _ watch: Stopwatch, priority: ImagePriority?, onProgress: Report?
    ) async throws -> ImageResponse {
        try TransferScope.refuseInside(downloader, request.url)
        while true {
            do {
                return try await pictures.value(
                    for: key, priority: priority?.taskPriority, onProgress: onProgress
                ) { start in
                    let load = try PictureLoad(self, request, key, &start, watch)
                    return { try await load.run($0) }
                }
            } catch {
                try checkInsistence(request, error)
            }
        }
    }

    /// The decoded picture that memory holds, if the request may read memory.
    func remembered(_ request: ImageRequest, _ variant: CacheKey) -> ImageResponse? {
        guard request.cachePolicy.readsCachesFirst, request.cacheReads.contains(.memory),
            case .decoded(let response)? = memory.value(for: .picture(variant))
        else { return nil }
        return response
    }
}

// MARK: - Files

extension Pipeline {
    /// The picture that `request` asks for, as a file: from memory, else by the flight of its key.
    func file(for request: ImageRequest, as format: OutputFormat, onProgress: Report?) async throws -> EncodedImage {
        try checkOpen(request)
        let name = request.encodedKey(format)
        if let hit = rememberedFile(request, name) {
            hub.noteMemoryHit(request)
            return hit
        }
        let watch = hub.noteBegin()
        do {
            let file = try await fly(FileLoad(pipeline: self, request: request, format: format, name: name), onProgress)
            hub.noteEnd(request, file.source, watch)
            return file
        } catch {
            hub.noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of `load`, as often as needed.
    private func fly(_ load: FileLoad, _ onProgress: Report?) async throws -> EncodedImage {
        try TransferScope.refuseInside(downloader, load.request.url)
        let hearing = ProgressHandler.isolating(onProgress, unlessOn: executor)
        while true {
            do {
                return try await files.value(
                    for: LoadKey(load.request, variant: load.name), priority: load.request.priority.taskPriority,
                    onProgress: hearing
                ) { try await load.run($0) }
            } catch {
                try checkInsistence(load.request, error)
            }
        }
    }

    /// The file that memory holds, if the request may read memory.
    func rememberedFile(_ request: ImageRequest, _ name: CacheKey) -> EncodedImage? {
        guard request.cachePolicy.readsCachesFirst, request.cacheReads.contains(.memory),
            case .encoded(let file, _)? = memory.value(for: .file(name))
        else { return nil }
        return file
    }
}

// MARK: - Errors

extension Pipeline {
    /// Throws the error for the caller, unless the caller must join again: a request that retries failures has joined
    /// the flight of one that does not, and got its remembered failure. Such a flight ends as soon as it has begun, so
    /// the retries end.
    @inline(never) private func checkInsistence(_ request: ImageRequest, _ error: any Error) throws {
        if let error = error as? ImageLoadError, error.code == .recentlyFailed, request.retriesFailed { return }
        throw ImageLoadError.mapping(error, url: request.url)
    }

    @inline(never) private func checkOpen(_ request: ImageRequest) throws {
        if !isOpen.load(ordering: .acquiring) { throw ImageLoadError.shutDown(request.url) }
    }

    /// Runs a transformer or an encoder, and adds the address of the picture to its error.
    func processed<T: Sendable>(_ request: ImageRequest, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as ImageError {
            throw ImageLoadError(code: .processingFailed, message: error.message, url: request.url, cause: error)
        }
    }
}
