// SPDX-License-Identifier: MIT
#if os(Linux)
import CTransportShims
import EventLoops
import HTTPTransport
import TaskCoordination

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
        // A netlink socket for changes of links, addresses and routes; -1 when there is none.
        self.init(descriptor: transport_netlink_open(), probe: NetworkState.probe)
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
        var isClosed = false
    }

    private let contents: Watched<Contents>

    init(_ state: NetworkState) { contents = Watched(Contents(state: state)) }

    var state: NetworkState { contents.read(\.state) }

    /// Tells the readers, if the state is another one.
    func publish(_ state: NetworkState) { contents.change { $0.state = state } }

    func subscribe() -> AsyncStream<NetworkState> {
        let read = Watched<NetworkState?>(nil)
        return AsyncStream { [contents] in
            let last = read.value
            while await contents.answer(to: { $0.isClosed || $0.state != last ? true : nil }) != nil {
                // Another change may have come since.
                let now = contents.value
                if now.state != last {
                    read.change { $0 = now.state }
                    return now.state
                }
                if now.isClosed { break }
            }
            return nil
        }
    }

    /// Ends every sequence.
    func close() { contents.change { $0.isClosed = true } }
}
#endif
