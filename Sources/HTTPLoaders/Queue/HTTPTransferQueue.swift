// SPDX-License-Identifier: MIT
public import HTTPTransport
import Locks
import TaskCoordination

/// Transfers in an order: a few at a time, some after others, and none while the queue is suspended.
///
/// ```swift
/// let queue = HTTPTransferQueue(client, width: 4)
/// let list = queue.add(HTTPRequest(url: listURL))
/// let picture = queue.add(HTTPRequest(url: pictureURL), after: [list])
/// for await state in picture.states { show(state) }
/// let response = try await picture.response()
/// ```
///
/// The transfers that may begin do so by the priority of their requests, and among equals in the order in which they
/// were added. A transfer whose predecessor has failed begins like any other, as operations do.
public final class HTTPTransferQueue: Sendable {
    private let loader: any HTTPLoading
    private let width: Int
    private let slots: Slots
    private let line = Mutex(TransferLine())
    private let executor: (any TaskExecutor)?

    /// Creates a queue.
    /// - Parameters:
    ///   - loader: Sends the requests. The queue does not shut it down.
    ///   - width: The largest number of transfers that run at once, at least 1; default 6.
    ///   - isSuspended: Whether transfers wait for ``resume()``; default `false`.
    public convenience init(_ loader: any HTTPLoading, width: Int = 6, isSuspended: Bool = false) {
        self.init(loader, width: width, isSuspended: isSuspended, executor: nil)
    }

    /// - Parameter executor: Where the transfers run; `nil` for the global pool.
    init(_ loader: any HTTPLoading, width: Int = 6, isSuspended: Bool = false, executor: (any TaskExecutor)?) {
        self.loader = loader
        self.executor = executor
        self.width = width
        slots = Slots(
            SlotSettings(limit: width, isSuspended: isSuspended), maximumQueueLength: .max, name: "transfers",
            onQueue: {})
    }

    /// Adds a transfer, which begins when it is its turn.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - others: The transfers that must have ended before, of this queue or another.
    ///   - limit: The largest body to accept, in bytes; default 16 MiB.
    /// - Returns: A handle. The transfer goes on without it.
    @discardableResult
    public func add(_ request: HTTPRequest, after others: [HTTPTransfer] = [], upTo limit: Int = 16 << 20)
        -> HTTPTransfer
    {
        let transfer = line.withLock { line in
            let transfer = HTTPTransfer(id: line.makeID(), request, upTo: limit, in: self)
            line.entries[transfer.id] = TransferLine.Entry(transfer: transfer, predecessors: others.count)
            return transfer
        }
        for other in others {
            other.whenEnded { [self] in
                line.withLock { $0.entries[transfer.id]?.predecessors -= 1 }
                settle(transfer)
            }
        }
        settle(transfer)
        return transfer
    }

    /// Lets no further transfer begin. Those that run go on.
    public func suspend() { slots.change(SlotSettings(limit: width, isSuspended: true)) }

    /// Lets transfers begin again.
    public func resume() { slots.change(SlotSettings(limit: width)) }

    /// Whether transfers wait for ``resume()``.
    public var isSuspended: Bool { slots.isSuspended }

    /// The number of transfers that run.
    public var runningCount: Int { slots.running }

    /// The number of transfers that wait or are paused.
    public var waitingCount: Int { line.withLock { $0.waitingCount } }

    /// Cancels every transfer.
    public func cancelAll() {
        for transfer in line.withLock({ $0.transfers }) { transfer.cancel() }
    }

    // MARK: - One transfer

    /// Notes what a caller wants, and takes the transfer out of the queue, or ends its run, when that is against it.
    func change(_ transfer: HTTPTransfer, _ wish: (inout TransferLine.Entry) -> Void) {
        let stage = line.withLock { line -> TransferLine.Stage in
            guard var entry = line.entries[transfer.id] else { return .held }
            wish(&entry)
            line.entries[transfer.id] = entry
            return entry.isCancelled || entry.isPaused ? entry.stage : .held
        }
        switch stage {
        case .held: break
        // A place that has been answered already is a run that begins, and finds out by itself.
        case .queued(let place): if place.leave() { line.withLock { $0.entries[transfer.id]?.stage = .held } }
        case .running(let task): task?.cancel()
        }
        settle(transfer)
    }

    /// Does what comes next for a transfer that neither runs nor is queued.
    private func settle(_ transfer: HTTPTransfer) {
        let step = line.withLock { line in
            line.next(transfer.id) { priority in
                // The slots have no limit for their queue, and are never closed.
                try? slots.enter(UInt8(priority.rawValue)) { [self] in begin(transfer, $0) }
            }
        }
        switch step {
        case nil: break
        case .end: transfer.end(.failure(CancellationError()))
        case .go(let state, let permit):
            if let state { transfer.board.set(state) }
            if let permit { run(transfer, permit) }
        }
    }

    /// Called with the slot of a transfer that was queued.
    private func begin(_ transfer: HTTPTransfer, _ answer: Result<Slots.Permit, CoordinationError>) {
        guard case .success(let permit) = answer else { return }
        line.withLock { $0.begin(transfer.id) }
        run(transfer, permit)
    }

    private func run(_ transfer: HTTPTransfer, _ permit: Slots.Permit) {
        var request = transfer.request
        request.options.reports = transfer.board.beginRun()
        // Unstructured: it belongs to the queue, and its handle may be dropped. It ends with the transfer.
        let task = Task(executorPreference: executor) { [loader, request] in
            let result: Result<CollectedResponse, any Error>
            do {
                result = .success(try await loader.send(request).collected(upTo: transfer.limit))
            } catch {
                result = .failure(error)
            }
            self.finish(transfer, permit, result)
        }
        if line.withLock({ $0.started(transfer.id, task) }) { task.cancel() }
    }

    private func finish(
        _ transfer: HTTPTransfer, _ permit: Slots.Permit, _ result: Result<CollectedResponse, any Error>
    ) {
        let wasCancelled = if case .failure(let error) = result { error is CancellationError } else { false }
        let hasEnded = line.withLock { $0.finish(transfer.id, wasCancelled: wasCancelled) }
        if hasEnded { transfer.end(result) } else { settle(transfer) }
        slots.release(permit)
    }
}
