// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import PlatformBasics
import Synchronization
import TaskCoordination

/// The parts of a manager that loads need.
///
/// The path of a load, in reading order:
///
///     picture(for:), file(for:as:) ─► memory hit? ─► joins the flight of its key ─► Load.run
///     Load.run:  look up ─► fetch ─► decode, transform and encode: a job ─► keep ─► the flight delivers
///
/// A ``Load`` knows what it makes as a ``Product``. Loads of one original meet in a ``PictureJob``.
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
    let jobs: JobTable
    let failures: RecentFailures
    let hub: ActivityHub
    /// The flights for decoded pictures.
    let pictures: InFlight<LoadKey, ImageResponse, LoadProgress>
    /// The flights for files.
    let files: InFlight<LoadKey, EncodedImage, LoadProgress>
    /// Where flights run; `nil` for the global pool.
    let executor: (any TaskExecutor)?
    let isOpen = Atomic<Bool>(true)
    /// Whether the shutdown has begun and no flight begins any more, for what waits for it.
    let isEnding = Watched(false)
    /// The validations of stale pictures that were served meanwhile.
    let refreshes = Refreshes()
    /// The time of day.
    let now: @Sendable () -> Date
    /// Measures the waits between attempts.
    let clock: any Clock<Duration>

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
        jobs = JobTable(processing, executor: parts.executor)
        downloader = ImageDownloader(
            configuration: configuration.downloader, transport: parts.transport, hub: hub, contents: order,
            jobs: processing.queue, executor: parts.executor, now: parts.now,
            inspect: { try coders.checkSignature($0) },
            onArrival: { [jobs] in jobs.noteArrival($1, RequestIdentity($0)) })
        pictures = InFlight(name: "load", executor: parts.executor)
        files = InFlight(name: "encode", executor: parts.executor)
        failures = RecentFailures(capacity: configuration.failureCapacity, lifetime: configuration.failureLifetime)
        caches.relay.add { [weak failures, weak refreshes] pressure in
            failures?.respond(to: pressure)
            refreshes?.respond(to: pressure)
            AnimationMemory.shared.reduce(by: pressure.divisor)
            return failures != nil
        }
        now = parts.now
        clock = parts.clock
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

    /// The file of an original that memory keeps because there is no disk cache, counted as a use.
    func heldOriginal(_ request: ImageRequest) -> EncodedImage? {
        guard request.cacheReads.original.contains(.memory),
            case .encoded(let file)? = inMemory(.file(request.originalKey), request)
        else { return nil }
        return file.value
    }

    /// The entry that the memory of a request's caches holds, counted as a use.
    func inMemory(_ key: MemoryKey, _ request: ImageRequest) -> CachedPicture? {
        request.caches.map { $0.part.memory.value(for: key) } ?? caches.memory.value(for: key)
    }

    /// What stores the results of a request.
    func writer(for request: ImageRequest) -> CacheWriter {
        request.caches.map { CacheWriter($0.part, order) } ?? writer
    }

    /// The coders of a request.
    func coders(for request: ImageRequest) -> ImageCoders { request.coders?.part ?? configuration.coders }

    /// Cancels every load.
    func cancelAll() {
        refreshes.cancelAll()
        files.cancelAll()
        pictures.cancelAll()
    }
}

// MARK: - Loads

extension Pipeline {
    /// The picture that `request` asks for.
    @inline(__always) func picture(for request: ImageRequest, onProgress: Report?) async throws -> ImageResponse {
        try await value(of: Picture(), for: request, onProgress)
    }

    /// The picture that `request` asks for, as a file.
    func file(for request: ImageRequest, as format: OutputFormat, onProgress: Report?) async throws -> EncodedImage {
        try await value(of: File(file: format), for: request, onProgress)
    }

    /// What `request` asks for: from memory, else by the flight of its key.
    ///
    /// Inlined, so that a memory hit pays for no further async call.
    @inline(__always) private func value<P: Product>(
        of product: P, for request: ImageRequest, _ onProgress: Report?
    ) async throws -> P.Value {
        try checkOpen(request)
        if !hooksProcessRequests, request.content == nil, let hit = hit(named(request), product) { return hit }
        return try await load(request, product, onProgress)
    }

    /// What memory holds, counted as a hit.
    private func hit<P: Product>(_ request: ImageRequest, _ product: P) -> P.Value? {
        guard let hit = remembered(request, product, product.name(for: request)) else { return nil }
        hub.noteMemoryHit(request)
        return hit
    }

    /// Not inlined, so that a memory hit does not pay for the frame of a load.
    @inline(never) private func load<P: Product>(
        _ request: ImageRequest, _ product: P, _ onProgress: Report?
    ) async throws -> P.Value {
        let asked = request
        let found = asked.content == nil ? asked : try await found(asked)
        let request = hooksProcessRequests ? try await prepared(found) : named(found)
        if hooksProcessRequests, let hit = hit(request, product) { return hit }
        let watch = hub.noteBegin()
        do {
            let triesAgain = hooks.retry != nil || request.triesAgain
            let value = try await fly(request, product, onProgress, tryingAgain: triesAgain ? asked : nil)
            hub.noteEnd(request, value.source, watch)
            return value
        } catch {
            hub.noteFailure(request, error)
            throw error
        }
    }

    /// Joins or starts the flight of the request, as often as needed.
    ///
    /// - Parameter asked: The request of the caller, before its file was found and hooks have changed it, when the load
    ///   may need several flights. It has a flight of its own then, which waits for the others: what ends the loads of
    ///   an address, or all of them, finds it also while it waits for the next attempt or for an alternative.
    @inline(never) func fly<P: Product>(
        _ request: ImageRequest, _ product: P, _ onProgress: Report?, tryingAgain asked: ImageRequest? = nil
    ) async throws -> P.Value {
        try TransferScope.refuseInside(downloader, request.url)
        let caller = asked.map { $0.loadToken ?? Shared(()) }
        let key = LoadKey(request, variant: product.name(for: request), of: caller)
        let fitted = product.format.map { request.fitted(for: $0) } ?? request
        while true {
            do {
                return try await product.flights(of: self).value(
                    for: key, priority: request.priority.taskPriority, onProgress: onProgress,
                    hearing: request.tellsJoining ? LoadProgress(receivedByteCount: 0, expectedByteCount: nil) : nil
                ) { work in
                    { report in
                        if let asked { return try await self.firstAnswer(request, asked, product, report) }
                        return try await Load(product, self, fitted, key, work, report).run()
                    }
                }
            } catch {
                try checkInsistence(request, error)
            }
        }
    }

    /// What memory holds, if the request may be answered with it.
    func remembered<P: Product>(_ request: ImageRequest, _ product: P, _ name: CacheKey) -> P.Value? {
        guard request.cachePolicy.readsCachesFirst else { return freshInMemory(request, product, name) }
        return held(request, product, name)
    }

    /// What memory holds, if the request may read memory.
    func held<P: Product>(_ request: ImageRequest, _ product: P, _ name: CacheKey) -> P.Value? {
        guard product.tiers(request.cacheReads, request).contains(.memory) else { return nil }
        return inMemory(product.memoryKey(name), request).flatMap { P.Value(inMemory: $0) }
            .flatMap { product.suits($0, request) ? $0 : nil }
    }

    /// The untransformed picture that memory holds, from which the requested one can be made.
    func pictureInMemory(madeInto request: ImageRequest) -> ImageResponse? {
        guard request.parts?.value.changesPicture != true else { return nil }
        return remembered(request, Picture(), request.originalKey)
    }
}
