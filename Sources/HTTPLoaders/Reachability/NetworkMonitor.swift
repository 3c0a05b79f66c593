// SPDX-License-Identifier: MIT
#if os(Linux)
import EventLoops
import HTTPTransport
import Locks

/// Watches the links, addresses and routes of this machine.
///
/// ```swift
/// let monitor = NetworkMonitor()
/// for await state in monitor.changes() { log(state.isReachable) }
/// ```
///
/// It has a thread that sleeps until the kernel reports a change. ``shutdown()`` ends it, and so does releasing the
/// monitor.
/// - Source: rtnetlink(7).
public final class NetworkMonitor: Sendable {
    private let watch: NetworkWatch
    private let isRunning: Bool

    /// Creates a monitor and starts its thread.
    ///
    /// When the process has no thread or descriptor left, the state never changes.
    public convenience init() {
        self.init(descriptor: NetworkWatch.openNetlink(), probe: NetworkState.probe)
    }

    /// - Parameters:
    ///   - descriptor: Becomes readable when something may have changed; the monitor closes it.
    ///   - probe: Finds the present state.
    init(descriptor: Int32, probe: @escaping @Sendable () -> NetworkState) {
        watch = NetworkWatch(descriptor: descriptor, probe: probe)
        isRunning = watch.start()
    }

    deinit {
        if isRunning { watch.loop.stop() }
    }

    /// The present state.
    public var state: NetworkState { watch.board.state }

    /// The present state, and then each other one.
    ///
    /// A reader that is slow gets the newest state and not those before it. The sequence ends with the monitor.
    public func changes() -> AsyncStream<NetworkState> { watch.board.subscribe() }

    /// Returns when there is a route to the public Internet, at once if there is one.
    ///
    /// - Throws: `CancellationError`; `HTTPError` with code `.shutDown` when the monitor ends before.
    public func waitUntilReachable() async throws {
        for await state in changes() where state.isReachable { return }
        try Task.checkCancellation()
        throw HTTPError(code: .shutDown, message: "The network monitor was shut down.")
    }

    /// Ends the thread and every sequence of changes.
    public func shutdown() async {
        if isRunning { await watch.loop.stopAndJoin() }
    }
}

/// The present state and those who wait for another.
final class NetworkBoard: Sendable {
    private struct Contents {
        var state: NetworkState
        var readers: [Int: AsyncStream<NetworkState>.Continuation] = [:]
        var lastID = 0
        var isClosed = false
    }

    private let contents: Mutex<Contents>

    init(_ state: NetworkState) {
        contents = Mutex(Contents(state: state))
    }

    var state: NetworkState { contents.withLock { $0.state } }

    /// The number of sequences that are read.
    var readerCount: Int { contents.withLock { $0.readers.count } }

    /// Tells the readers, if the state is another one.
    func publish(_ state: NetworkState) {
        let readers = contents.withLock { contents in
            guard contents.state != state else { return [] as [AsyncStream<NetworkState>.Continuation] }
            contents.state = state
            return Array(contents.readers.values)
        }
        for reader in readers { reader.yield(state) }
    }

    func subscribe() -> AsyncStream<NetworkState> {
        let (stream, reader) = AsyncStream.makeStream(of: NetworkState.self, bufferingPolicy: .bufferingNewest(1))
        let (state, id) = contents.withLock { contents -> (NetworkState, Int?) in
            guard !contents.isClosed else { return (contents.state, nil) }
            contents.lastID += 1
            contents.readers[contents.lastID] = reader
            return (contents.state, contents.lastID)
        }
        // A change in between is yielded before or after, so the newest state is asked for again.
        reader.yield(state)
        let newest = self.state
        if newest != state { reader.yield(newest) }
        guard let id else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in self?.contents.withLock { _ = $0.readers.removeValue(forKey: id) } }
        return stream
    }

    /// Ends every sequence.
    func close() {
        let readers = contents.withLock { contents in
            contents.isClosed = true
            return Array(contents.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
#endif
