// SPDX-License-Identifier: MIT
public import HTTPTransport
import Locks

/// A transfer of an ``HTTPTransferQueue``, as a handle that any task may keep.
///
/// It runs to its end whether anything waits for it or not.
public final class HTTPTransfer: Sendable, Identifiable {
    private struct Outcome {
        var result: Result<CollectedResponse, any Error>?
        var successors: [@Sendable () -> Void] = []
    }

    /// A number that no other transfer of the queue has.
    public let id: Int
    /// What is sent.
    public let request: HTTPRequest
    /// The largest body to accept, in bytes.
    let limit: Int
    let board = TransferBoard()
    private let queue: HTTPTransferQueue
    private let outcome = Mutex(Outcome())

    init(id: Int, _ request: HTTPRequest, upTo limit: Int, in queue: HTTPTransferQueue) {
        self.id = id
        self.request = request
        self.limit = limit
        self.queue = queue
    }

    /// The present state.
    public var state: HTTPTransferState { board.state }

    /// The present state, and then each other one until the end.
    public var states: HTTPTransferStates { HTTPTransferStates(board: board) }

    /// The response, when the transfer has ended.
    ///
    /// **Cancellation**: ends the wait, and not the transfer.
    /// - Throws: What the loader throws; `CancellationError`.
    public func response() async throws -> CollectedResponse {
        for await _ in states {}
        if let result = outcome.withLock({ $0.result }) { return try result.get() }
        throw CancellationError()
    }

    /// Ends the transfer; one that has not begun never begins.
    ///
    /// Does nothing when it has ended.
    public func cancel() { queue.change(self) { $0.isCancelled = true } }

    /// Ends the transfer for now, and gives its place in the queue to another.
    ///
    /// With a ``ResumingLoader`` the bytes that have arrived are kept, and ``resume()`` goes on where they end. With
    /// every other loader the transfer begins anew. Does nothing when it has ended.
    public func pause() {
        queue.change(self) { entry in
            entry.isPaused = true
            if case .running = entry.stage { entry.wasPaused = true }
        }
    }

    /// Lets a paused transfer go on when it is its turn. Does nothing when it is not paused.
    public func resume() { queue.change(self) { $0.isPaused = false } }

    /// Ends the transfer for those who wait; called once by the queue.
    func end(_ result: Result<CollectedResponse, any Error>) {
        let successors = outcome.withLock { outcome in
            outcome.result = result
            return exchange(&outcome.successors, with: [])
        }
        switch result {
        case .success: board.set(.ended(.succeeded))
        case .failure(let error): board.set(.ended(error is CancellationError ? .cancelled : .failed))
        }
        for successor in successors { successor() }
    }

    /// Calls the closure when the transfer has ended, at once if it has.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = outcome.withLock { outcome in
            if outcome.result == nil { outcome.successors.append(body) }
            return outcome.result != nil
        }
        if hasEnded { body() }
    }
}
