// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics
import TaskCoordination

/// Fetches the bytes of pictures: a bounded number at once, each identity once, urgent ones first.
///
/// **Isolation**: the actor owns the settings that may change while transfers run, whether they may begin, their number
/// and their order. For transfers it is a face: ``download(_:validators:onProgress:)``, ``cancelAll()``
/// and the counts are `nonisolated`, and a transfer begins in the turn of its caller, without the 15 to 46 µs of a hop.
///
/// **Priority**: a transfer runs at the highest priority of its callers; a late urgent caller moves a queued transfer
/// forward, and one that leaves lets it sink behind others.
public actor ImageDownloader {
    nonisolated let configuration: Configuration
    nonisolated let transport: any HTTPLoading
    private let flights: InFlight<RequestIdentity, Download, LoadProgress>
    nonisolated let slots: Slots
    nonisolated let board: TransferBoard
    /// Counts the bytes of the manager's originals; `nil` for a downloader without a manager.
    nonisolated let jobs: JobQueue?
    /// The time of day.
    nonisolated let now: @Sendable () -> Date
    private nonisolated let executor: (any TaskExecutor)?
    nonisolated let hub: ActivityHub
    nonisolated let contentOrder: ContentOrder
    /// Throws when a file with this beginning cannot be a picture, so that the transfer ends early.
    nonisolated let inspect: @Sendable (_ beginning: [UInt8]) throws -> Void
    /// Called with what a transfer has brought, before it lands.
    nonisolated let onArrival: @Sendable (ImageRequest, Download) -> Void
    /// Limits, order and suspension, which the slots are told.
    var settings: SlotSettings {
        didSet { slots.change(settings) }
    }

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - configuration: The limits, and the responses that are accepted.
    ///   - transport: Moves the bytes. The downloader shuts it down at its own shutdown.
    ///   - executor: Where transfers run; `nil` for the global pool. Tests pass their own.
    public init(
        configuration: Configuration = .init(),
        transport: any HTTPLoading = HTTPClient(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.init(
            configuration: configuration, transport: transport, hub: ActivityHub(), contents: ContentOrder(),
            executor: executor, inspect: { _ in }, onArrival: { _, _ in })
    }

    init(
        configuration: Configuration, transport: any HTTPLoading, hub: ActivityHub, contents: ContentOrder,
        jobs: JobQueue? = nil, executor: (any TaskExecutor)?, now: @escaping @Sendable () -> Date = { .now },
        inspect: @escaping @Sendable ([UInt8]) throws -> Void,
        onArrival: @escaping @Sendable (ImageRequest, Download) -> Void
    ) {
        self.configuration = configuration
        self.hub = hub
        contentOrder = contents
        self.transport = transport
        self.jobs = jobs
        self.executor = executor
        self.now = now
        self.inspect = inspect
        self.onArrival = onArrival
        board = TransferBoard(configuration.headers)
        settings = Self.settings(
            configuration.maximumConcurrentDownloads, configuration.maximumConcurrentDownloadsPerHost,
            configuration.order)
        slots = Slots(
            settings, maximumQueueLength: configuration.maximumQueueLength, name: "downloads",
            holdsBack: board.holdingBack(by: jobs), onQueue: { [board] in board.attend() })
        flights = InFlight(name: "download", executor: executor, slots: slots)
        board.serve(self)
        jobs?.onRoom { [weak board, weak slots] in
            board?.goOn()
            slots?.reconsider()
        }
    }

    /// The number of different transfers that run or wait.
    public nonisolated var count: Int { flights.count }

    /// The number of transfers that wait, run, or were abandoned and have not returned.
    nonisolated var operationCount: Int { flights.operationCount }

    /// The number of transfers that wait for a slot.
    public nonisolated var queuedCount: Int { slots.queued }

    /// The number of transfers that have a slot.
    public nonisolated var runningCount: Int { slots.running }

    /// The number of entries in the tables of transfers and slots. For tests.
    nonisolated var entryCount: Int { flights.entryCount + slots.entryCount + board.count }

    /// Fetches the bytes that `request` names. Equal requests in flight share one transfer.
    ///
    /// **Cancellation**: returns at once; the transfer continues while another caller waits for it.
    ///
    /// - Parameters:
    ///   - request: The address and the fields. The cache settings are ignored.
    ///   - validators: Fields that make the request conditional. With them a 304 is a success.
    ///   - onProgress: Called in order while the body arrives, and at once with the latest state when the transfer is
    ///     already running. Runs in the calling task: a handler that blocks holds a thread that other tasks need.
    /// - Throws: ``ImageLoadError``; `CancellationError`.
    public nonisolated func download(
        _ request: ImageRequest,
        validators: HTTPHeaders = [:],
        onProgress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> Download {
        do {
            try TransferScope.refuseInside(self, request.url)
            var download = try await download(
                request, validators: validators, priority: request.priority.taskPriority,
                report: onProgress)
            // The caller may keep it forever.
            (download.claim, download.share) = (nil, nil)
            return download
        } catch {
            throw ImageLoadError.mapping(error, url: request.url)
        }
    }

    /// Fetches for a flight, which passes the progress on to its own callers.
    ///
    /// - Parameters:
    ///   - priority: `nil` for the priority of the flight, read when it joins: a priority read earlier could miss an
    ///     escalation.
    ///   - outer: The work of the flight, whose callers move the transfer where it waits.
    nonisolated func download(
        _ request: ImageRequest, validators: HTTPHeaders, priority: TaskPriority?,
        report: Pipeline.Report?, within outer: FlightWork? = nil
    ) async throws -> Download {
        try await flights.value(
            for: RequestIdentity(request.adding(validators)), priority: priority, lane: request.origin,
            onProgress: report, within: outer
        ) { work in
            let transfer = Transfer(request, validators, self, work)
            return { try await transfer.run($0) }
        }
    }

    /// Cancels every transfer; each caller gets `CancellationError`.
    public nonisolated func cancelAll() { flights.cancelAll() }

    /// Refuses new transfers; running ones continue.
    nonisolated func close() { flights.close() }

    /// Waits until no transfer runs or waits.
    nonisolated func drain() async { await flights.drain() }

    /// Cancels every transfer, refuses new ones and closes the transport. Returns when the last transfer has unwound,
    /// however long its modifier and its transport take. ``ImageManager/shutdown(within:)`` has a deadline.
    ///
    /// Awaited in a request modifier or in the transport, it returns at once, and the end goes on.
    ///
    /// **Cancellation**: ignored.
    public func shutdown() async {
        flights.close()
        flights.cancelAll()
        board.endAttendance()
        let end = OneShot<Void>()
        // The end waits for the transfer that the calling task works for.
        if TransferScope.isInside(self) { end.resolve(()) }
        await end.wait(for: "end downloads", on: executor, leavingRunning: true) { [flights, transport] in
            await flights.drain()
            await transport.shutdown()
            end.resolve(())
        }
    }
}
