// SPDX-License-Identifier: MIT
public import HTTPTransport
import Locks

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
    private let line: Mutex<TransferLine>
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
        line = Mutex(TransferLine(width: max(1, width), isSuspended: isSuspended))
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
            line.add(transfer, predecessors: others.count)
            return transfer
        }
        for other in others {
            other.whenEnded { [self] in
                line.withLock { $0.predecessorEnded(of: transfer.id) }
                proceed()
            }
        }
        proceed()
        return transfer
    }

    /// Lets no further transfer begin. Those that run go on.
    public func suspend() { line.withLock { $0.isSuspended = true } }

    /// Lets transfers begin again.
    public func resume() {
        line.withLock { $0.isSuspended = false }
        proceed()
    }

    /// Whether transfers wait for ``resume()``.
    public var isSuspended: Bool { line.withLock { $0.isSuspended } }

    /// The number of transfers that run.
    public var runningCount: Int { line.withLock { $0.runningCount } }

    /// The number of transfers that wait or are paused.
    public var waitingCount: Int { line.withLock { $0.count - $0.runningCount } }

    /// Cancels every transfer.
    public func cancelAll() {
        for transfer in line.withLock({ $0.transfers }) { cancel(transfer) }
    }

    // MARK: - One transfer

    func cancel(_ transfer: HTTPTransfer) {
        switch line.withLock({ $0.cancel(transfer.id) }) {
        case .none: break
        case .cancel(let task): task?.cancel()
        case .end: transfer.end(.failure(CancellationError()))
        }
    }

    func pause(_ transfer: HTTPTransfer) {
        switch line.withLock({ $0.pause(transfer.id) }) {
        case .none: break
        case .cancel(let task): task?.cancel()
        case .end: transfer.board.set(.paused)
        }
    }

    func resume(_ transfer: HTTPTransfer) {
        guard line.withLock({ $0.resume(transfer.id) }) else { return }
        transfer.board.set(.waiting)
        proceed()
    }

    /// Starts the transfers whose turn it is.
    private func proceed() {
        while let transfer = line.withLock({ $0.next() }) {
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
                self.finish(transfer, result)
            }
            if line.withLock({ $0.started(transfer.id, task) }) { task.cancel() }
        }
    }

    private func finish(_ transfer: HTTPTransfer, _ result: Result<CollectedResponse, any Error>) {
        let wasCancelled = if case .failure(let error) = result { error is CancellationError } else { false }
        switch line.withLock({ $0.finish(transfer.id, wasCancelled: wasCancelled) }) {
        case .ended: transfer.end(result)
        case .paused: transfer.board.set(.paused)
        case .waiting: transfer.board.set(.waiting)
        }
        proceed()
    }
}
