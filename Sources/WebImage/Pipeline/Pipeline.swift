// SPDX-License-Identifier: MIT
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
///     file(for:as:) ─► memory hit? ─► joins the flight of its key ─► FileLoad.run, with one more stage: encode
///
/// Both stand on ``OriginalLoad``, which leads to the original file, and on ``SharedWork``, where loads of one original
/// meet.
///
/// An object, so that a load holds one reference. Its parts are constants; mutable parts are isolated or locked.
final class Pipeline: Sendable {
    /// Called with the progress of a flight.
    typealias Report = @Sendable (LoadProgress) -> Void

    let configuration: ImageManager.Configuration
    let hooks: ImageManager.Hooks
    /// Asked by each look into memory, where a copy of the hooks would cost more than the look.
    let hooksChangeRequests: Bool
    /// Whether a hook must be awaited before a request is loaded.
    let hooksProcessRequests: Bool
    /// Whether the transport has a loader for content on this machine.
    let loadsLocally: Bool
    /// The caches of requests that bring none.
    let caches: ImageCaches
    /// Whether the caches end with the manager.
    let ownsCaches: Bool
    let order = ContentOrder()
    /// Stores the results of requests that bring no caches.
    private let writer: CacheWriter
    let downloader: ImageDownloader
    let processing: ImageProcessor
    let shared: SharedWork
    let failures: RecentFailures
    let hub: ActivityHub
    /// The flights for decoded pictures.
    let pictures: InFlight<LoadKey, ImageResponse, LoadProgress>
    /// The flights for files.
    let files: InFlight<LoadKey, EncodedImage, LoadProgress>
    /// Whether a load that needs the origin waits for its transfer without a task.
    let waitsWithoutTask: Bool
    /// Where flights run; `nil` for the global pool.
    let executor: (any TaskExecutor)?
    let isOpen = Atomic<Bool>(true)
    /// The validations of stale pictures that were served meanwhile.
    let refreshes = Refreshes()
    /// The time of day.
    let now: @Sendable () -> Date

    init(_ configuration: ImageManager.Configuration, _ parts: ImageManager.Parts) {
        self.configuration = configuration
        hub = parts.hub
        hooks = configuration.hooks
        hooksChangeRequests = hooks.changesRequests
        hooksProcessRequests = hooks.requestProcessor != nil
        loadsLocally = !parts.transport.localSchemes.isEmpty
        ownsCaches = parts.caches == nil
        caches = parts.caches ?? Self.ownCaches(configuration, parts, hub)
        writer = CacheWriter(caches, order)
        let coders = configuration.coders
        processing = ImageProcessor(configuration, pool: parts.processing, hub: hub)
        shared = SharedWork(processing, executor: parts.executor)
        downloader = ImageDownloader(
            configuration: configuration.downloader, transport: parts.transport, hub: hub, contents: order,
            executor: parts.executor, now: parts.now, inspect: { try coders.checkSignature($0) },
            onArrival: { [shared] in shared.noteArrival($1, RequestIdentity($0)) })
        pictures = InFlight(name: "load", executor: parts.executor)
        files = InFlight(name: "encode", executor: parts.executor)
        failures = RecentFailures(capacity: configuration.failureCapacity, lifetime: configuration.failureLifetime)
        caches.relay.add { [weak failures, weak refreshes] pressure in
            failures?.respond(to: pressure)
            refreshes?.respond(to: pressure)
            return failures != nil
        }
        waitsWithoutTask = parts.waitsWithoutTask
        now = parts.now
        executor = parts.executor
    }

    /// The caches that end with the manager.
    private static func ownCaches(
        _ configuration: ImageManager.Configuration, _ parts: ImageManager.Parts, _ hub: ActivityHub
    ) -> ImageCaches {
        let ignore: @Sendable (CacheError) -> Void = { _ in }
        return ImageCaches(
            memory: configuration.memory, watch: parts.memoryWatch, disk: parts.disk, executor: parts.executor,
            writeLimit: configuration.maximumWriteByteCount, onWarning: configuration.disk?.onWarning ?? ignore,
            onDrop: { key in
                hub.tally.droppedWrites.add()
                hub.tell(nil, .writeDropped(key))
            })
    }

    /// The caches of a request.
    func caches(for request: ImageRequest) -> ImageCaches { request.caches?.part ?? caches }

    /// Whether memory keeps the file of an original, because there is no disk cache. Not counted as a use.
    func holdsOriginal(_ request: ImageRequest) -> Bool {
        let caches = caches(for: request)
        return caches.disk == nil && request.cacheReads.original.contains(.memory)
            && caches.memory.contains(.file(request.originalKey))
    }

    /// The file of an original that memory keeps, counted as a use.
    func heldOriginal(_ request: ImageRequest) -> EncodedImage? {
        guard request.cacheReads.original.contains(.memory),
            case .encoded(let file)? = inMemory(.file(request.originalKey), request)
        else { return nil }
        return file.value
    }

    /// The entry that the memory of a request's caches holds, counted as a use.
    func inMemory(_ key: MemoryKey, _ request: ImageRequest) -> CachedPicture? {
        request.caches.map { $0.part.held(key) } ?? caches.held(key)
    }

    /// What stores the results of a request.
    func writer(for request: ImageRequest) -> CacheWriter {
        request.caches.map { CacheWriter($0.part, order) } ?? writer
    }

    /// The coders of a request.
    func coders(for request: ImageRequest) -> ImageCoders { request.coders?.part ?? configuration.coders }

    /// Whether an original or a picture of the request may be on disk.
    func readsDisk(_ request: ImageRequest) -> Bool {
        let reads = request.cacheReads
        return reads.original.union(reads.variant).union(reads.file).contains(.disk) && request.allowsDisk
            && caches(for: request).disk != nil
    }

    /// Cancels every load.
    func cancelAll() {
        refreshes.cancelAll()
        files.cancelAll()
        pictures.cancelAll()
    }
}

// MARK: - Pictures

extension Pipeline {
    /// The picture that `request` asks for: from memory, else by the flight of its key.
    ///
    /// Inlined, so that a memory hit pays for no further async call.
    @inline(__always) func picture(for request: ImageRequest, onProgress: Report?) async throws -> ImageResponse {
        try checkOpen(request)
        if !hooksProcessRequests, let hit = hit(named(request)) { return hit }
        return try await load(request, onProgress)
    }

    /// The picture that memory holds, counted as a hit.
    private func hit(_ request: ImageRequest) -> ImageResponse? {
        guard let hit = remembered(request, request.variantKey) else { return nil }
        hub.noteMemoryHit(request)
        return hit
    }

    /// Not inlined, so that a memory hit does not pay for the frame of a load.
    @inline(never) private func load(_ request: ImageRequest, _ onProgress: Report?) async throws -> ImageResponse {
        let request = hooksProcessRequests ? try await prepared(request) : named(request)
        if hooksProcessRequests, let hit = hit(request) { return hit }
        let name = request.variantKey
        let watch = hub.noteBegin()
        do {
            let response = try await fly(request, LoadKey(request, variant: name), watch, onProgress)
            hub.noteEnd(request, response.source, watch)
            return response
        } catch {
            hub.noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of `key`, as often as needed.
    ///
    /// - Parameter watch: Runs since the call.
    @inline(never) private func fly(
        _ request: ImageRequest, _ key: LoadKey, _ watch: Stopwatch, _ onProgress: Report?
    ) async throws -> ImageResponse {
        try TransferScope.refuseInside(downloader, request.url)
        while true {
            do {
                return try await pictures.value(
                    for: key, priority: request.priority.taskPriority, onProgress: onProgress,
                    hearing: request.tellsJoining ? LoadProgress(receivedByteCount: 0, expectedByteCount: nil) : nil
                ) { start in
                    let load = PictureLoad(load: try OriginalLoad(self, request, key, &start, watch))
                    return { try await load.run($0) }
                }
            } catch {
                try checkInsistence(request, error)
            }
        }
    }

    /// The decoded picture that memory holds, if the request may be answered with it.
    func remembered(_ request: ImageRequest, _ name: CacheKey) -> ImageResponse? {
        guard request.cachePolicy.readsCachesFirst else { return freshInMemory(request, name) }
        return held(request, name)
    }

    /// The decoded picture that memory holds, if the request may read memory.
    func held(_ request: ImageRequest, _ name: CacheKey) -> ImageResponse? {
        guard request.cacheReads.variant.contains(.memory),
            case .decoded(let picture)? = inMemory(.picture(name), request)
        else { return nil }
        return ImageResponse(inMemory: picture)
    }

    /// The untransformed picture that memory holds, from which the requested one can be made.
    func pictureInMemory(madeInto request: ImageRequest) -> ImageResponse? {
        guard request.parts?.value.changesPicture != true else { return nil }
        return remembered(request, request.originalKey)
    }
}

// MARK: - Files

extension Pipeline {
    /// The picture that `request` asks for, as a file: from memory, else by the flight of its key.
    func file(for request: ImageRequest, as format: OutputFormat, onProgress: Report?) async throws -> EncodedImage {
        try checkOpen(request)
        let request = try await prepared(request)
        let name = request.fileKey(format)
        if let hit = rememberedFile(request, format, name) {
            hub.noteMemoryHit(request)
            return hit
        }
        let watch = hub.noteBegin()
        do {
            let file = try await fly(request, format, LoadKey(request, variant: name), watch, onProgress)
            hub.noteEnd(request, file.source, watch)
            return file
        } catch {
            hub.noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of `key`, as often as needed.
    private func fly(
        _ request: ImageRequest, _ format: OutputFormat, _ key: LoadKey, _ watch: Stopwatch, _ onProgress: Report?
    ) async throws -> EncodedImage {
        try TransferScope.refuseInside(downloader, request.url)
        let hearing = ProgressHandler.isolating(onProgress, unlessOn: executor)
        while true {
            do {
                return try await files.value(
                    for: key, priority: request.priority.taskPriority, onProgress: hearing
                ) { start in
                    let load = FileLoad(load: try OriginalLoad(self, request, key, &start, watch), format: format)
                    return { try await load.run($0) }
                }
            } catch {
                try checkInsistence(request, error)
            }
        }
    }

    /// The file that memory holds, if the request may be answered with it.
    func rememberedFile(_ request: ImageRequest, _ format: OutputFormat, _ name: CacheKey) -> EncodedImage? {
        guard request.cachePolicy.readsCachesFirst else { return freshFileInMemory(request, format, name) }
        return heldFile(request, format, name)
    }

    /// The file that memory holds, if the request may read memory.
    func heldFile(_ request: ImageRequest, _ format: OutputFormat, _ name: CacheKey) -> EncodedImage? {
        let reads = request.isForOriginalFile(format) ? request.cacheReads.original : request.cacheReads.file
        guard reads.contains(.memory), case .encoded(let file)? = inMemory(.file(name), request) else { return nil }
        return file.value
    }
}
