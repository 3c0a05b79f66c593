// SPDX-License-Identifier: MIT
public import HTTPTransport
import ImageCoding
import PlatformBasics
import Synchronization
import TaskCoordination

/// Loads pictures through a memory cache, a disk cache and a downloader.
///
/// A load goes through memory → disk variant → disk original → download → decode → transform, and its results are
/// stored on the way back. Equal requests in flight share one load, and different variants of one picture share the
/// transfer.
///
/// ```swift
/// let manager = ImageManager()
/// let image = try await manager.image(from: url)
/// ```
///
/// **Isolation**: the actor owns its state, which is open, draining or closed. The methods that load run on the
/// caller's actor up to the first suspension; a memory hit needs none.
/// **Cancellation**: cancelling the calling task ends its call at once and disturbs no other caller. The last caller to
/// leave cancels the work.
/// **Priority**: a flight runs at the highest priority of its callers and follows their escalation.
public actor ImageManager {
    /// The parts that loads need. They are constant, so the methods that load are `nonisolated`: a memory hit costs
    /// 0.14 µs, and a hop to the actor and back a hundred times that.
    nonisolated let pipeline: Pipeline
    let clock: any Clock<Duration>
    private(set) var life = Life.open

    /// States only move forward.
    enum Life {
        case open
        /// The task that ends the manager. It outlives the caller that started it.
        case draining(Task<ShutdownReport, Never>)
        case closed(ShutdownReport)
    }

    nonisolated var configuration: Configuration { pipeline.configuration }
    /// The disk cache, when there is one.
    public nonisolated var diskCache: DiskCache? { pipeline.caches.disk?.first(DiskCache.self) }
    /// The downloader.
    public nonisolated var downloader: ImageDownloader { pipeline.downloader }

    /// Creates a manager with its own caches, downloader and threads.
    ///
    /// - Parameter configuration: Limits and policies. The defaults are safe on a server.
    public init(configuration: Configuration = .init()) {
        self.init(configuration: configuration, transport: HTTPClient(configuration: configuration.transport))
    }

    /// Creates a manager from parts that a program brings: for tests, for origins that do not speak HTTP, for caches
    /// that several managers share.
    ///
    /// - Parameters:
    ///   - configuration: Limits and policies. Those of a part that is given are ignored.
    ///   - caches: Keep the pictures. The manager does not shut them down. `nil` makes them from the configuration.
    ///   - transport: Moves the bytes. The manager shuts it down at its own shutdown.
    public init(configuration: Configuration = .init(), caches: ImageCaches? = nil, transport: any HTTPLoading) {
        let hub = ActivityHub()
        var configuration = configuration
        if let onWarning = configuration.disk?.onWarning {
            configuration.disk?.onWarning = { error in
                hub.tell(nil, .cacheFailed(error))
                onWarning(error)
            }
        }
        self.init(
            configuration: configuration,
            parts: Parts(
                transport: configuration.transferRules?.loader(around: transport) ?? transport,
                disk: caches == nil ? configuration.disk.map { DiskCache($0) } : nil,
                caches: caches, memoryWatch: configuration.memoryWatch,
                processing: WorkerPool(
                    name: "image", width: max(1, configuration.processingWidth),
                    maximumQueueLength: .max,
                    niceness: min(max(0, configuration.processingNiceness), 19)),
                executor: nil, hub: hub))
    }

    /// Creates a manager from given parts.
    init(configuration: Configuration, parts: Parts) {
        pipeline = Pipeline(configuration, parts)
        clock = parts.clock
    }

    /// Parts that a test brings instead of those that a manager makes itself.
    struct Parts {
        var transport: any HTTPLoading
        var disk: (any CacheStoring)?
        var caches: ImageCaches?
        var memoryWatch: MemoryWatch?
        var processing: WorkerPool
        var executor: (any TaskExecutor)?
        var hub = ActivityHub()
        var clock: any Clock<Duration> = ContinuousClock()
        var now: @Sendable () -> Date = { .now }
    }
}

extension ImageManager {
    /// Forgets the failed loads, so that each is tried again.
    public nonisolated func forgetFailures() { pipeline.failures.forgetAll() }

    /// Forgets the failure of one address, so that it is tried again.
    public nonisolated func forgetFailure(of request: ImageRequest) {
        let request = pipeline.named(request)
        pipeline.failures.forget(LoadKey(request, variant: request.variantKey))
    }
}

// MARK: - Ending

extension ImageManager {
    /// Cancels every load; each caller gets `CancellationError`. Writes to disk continue.
    ///
    /// A load that waits for its next attempt, or for an alternative, ends, too. Transfers end with the flights that
    /// wait for them. A load that begins during this call may be cancelled too.
    public nonisolated func cancelAll() {
        pipeline.cancelAll()
    }

    /// Cancels the loads of one address, of pictures and of files; each caller gets `CancellationError`.
    ///
    /// A load that waits for its next attempt, or for an alternative at another address, ends, too. A transfer ends
    /// with the loads that wait for it. A refresh in the background, for which no caller waits, goes on.
    ///
    /// - Parameter request: Names the original. Its transformers do not matter.
    /// - Complexity: O(number of running loads).
    public nonisolated func cancelLoads(of request: ImageRequest) {
        let original = pipeline.named(request).originalKey
        pipeline.files.cancel { $0.request.originalKey == original }
        pipeline.pictures.cancel { $0.request.originalKey == original }
    }

    /// Refuses new work, lets running work finish until the grace time is over, then drops the rest and closes
    /// everything. Later calls join the first one; every load after it throws ``ImageLoadError/Code/shutDown``, a peek
    /// finds nothing, and every ``run()`` returns.
    ///
    /// The grace time is one deadline for all stages: files, pictures, transfers, writes, the transport, the disk cache
    /// and the threads. When it is over, everything is cancelled, and cancelled work has a quarter of a second to
    /// unwind. Work that has not returned by then is abandoned and reported: a request modifier or a transport that
    /// ignores cancellation, a transformer or a coder that continues, a disk that does not answer.
    ///
    /// A shutdown that is awaited inside a load, in a request modifier, a transport or a body, begins the end and
    /// returns at once, with a report that counts the transfer as still running. The transfer has the grace time like
    /// any other, and its callers get their picture. A transformer or a coder cannot await; when one blocks its thread
    /// until a shutdown has returned, the deadline ends the wait.
    ///
    /// **Cancellation**: cancelling the caller does not cut it short.
    ///
    /// - Parameter grace: How long running loads and pending writes may take. Negative values count as zero, and more
    ///   than a year counts as a year.
    /// - Returns: The dropped work and the work that still runs. The same for every call outside a load.
    public func shutdown(within grace: Duration) async -> ShutdownReport {
        let end: Task<ShutdownReport, Never>
        switch life {
        case .closed(let report): return report
        case .draining(let begun): end = begun
        case .open: end = beginEnd(within: grace)
        }
        // The end waits for the transfer that the calling task works for.
        if TransferScope.isInside(downloader) { return ShutdownReport(stillRunningCount: 1) }
        let report = await end.value
        life = .closed(report)
        return report
    }

    private func beginEnd(within grace: Duration) -> Task<ShutdownReport, Never> {
        pipeline.isOpen.store(false, ordering: .releasing)
        // A separate task, so that a cancelled caller cannot cut the end short. `life` owns it. Detached, so that it
        // does not belong to a transfer whose code called the shutdown.
        let end = Task.detached(
            name: "shut down", executorPreference: pipeline.executor, priority: Task.currentPriority
        ) {
            await self.end(within: grace)
        }
        life = .draining(end)
        return end
    }
}

extension ImageManager {
    /// Empties caches.
    ///
    /// Running loads continue, and their results are stored when they land.
    ///
    /// - Parameter tiers: The caches to empty. Both by default.
    /// - Throws: ``CacheError`` with code `.shutDown` after the manager's end; `CancellationError`. A file that cannot
    ///   be removed is kept, with a warning.
    public nonisolated func clear(_ tiers: CacheTiers = .all) async throws {
        guard pipeline.isOpen.load(ordering: .acquiring) else {
            throw CacheError(
                code: .shutDown, message: "The image manager has been shut down; its disk cache is left as it is.")
        }
        if tiers.contains(pipeline.caches.originalTier) { pipeline.jobs.forgetArrivals() }
        if tiers.contains(.memory) { await pipeline.caches.memory.removeAll() }
        guard tiers.contains(.disk) else { return }
        // A write that waits would bring its entry back.
        await pipeline.caches.flush()
        try await Pipeline.asking(nil) { try await pipeline.caches.disk?.removeAll() }
    }
}
