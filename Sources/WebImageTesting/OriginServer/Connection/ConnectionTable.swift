// SPDX-License-Identifier: MIT
internal import Locks

/// The open connections of a server and the threads that serve them.
///
/// Nothing leaks: the thread that served a descriptor closes it, and the next ending thread, or ``stop()``, joins a
/// thread.
final class ConnectionTable: Sendable {
    private struct Entry {
        let descriptor: CInt
        let thread: SystemThread
        var isInterrupted = false
        /// Whether the peer is to send a request, or the rest of one; and since when, or else when it has come.
        var isIdle = true
        var since = ContinuousClock.now
    }

    private struct State {
        var accepted = 0
        var open: [Int: Entry] = [:]
        /// Threads that have ended, or that only join earlier ones.
        var done: [SystemThread] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let limits: OriginServer.Configuration

    init(limits: OriginServer.Configuration) {
        self.limits = limits
    }

    /// The number of open connections.
    var openCount: Int { state.withLock { $0.open.count } }
    /// The number of accepted connections.
    var acceptedCount: Int { state.withLock { $0.accepted } }

    /// Serves a connection on a thread of its own.
    ///
    /// - Parameters:
    ///   - descriptor: The socket. The table owns it from now on, also when no thread can be started.
    ///   - serve: Runs on the thread. Gets the number of the connection, from 1 in the order of acceptance, and must
    ///     call ``end(_:closed:)`` with it at its end.
    func add(descriptor: CInt, serve: @escaping @Sendable (_ number: Int) -> Void) {
        state.withLock { state in
            state.accepted += 1
            let number = state.accepted
            // Started under the lock, so that the thread cannot reach `end` before its entry exists.
            guard !state.isStopped,
                let thread = try? SystemThread.start(stackByteCount: limits.stackByteCount, { serve(number) })
            else {
                SystemSocket.close(descriptor)
                return
            }
            state.open[number] = Entry(descriptor: descriptor, thread: thread)
        }
    }

    /// Closes a connection, on the thread that served it.
    ///
    /// - Parameter closed: Runs when the connection is no longer counted as open; gets whether the server has ended it
    ///   by ``interruptAll()`` or ``stop()``.
    func end(_ number: Int, closed: (_ byServer: Bool) -> Void) {
        let (earlier, byServer) = state.withLock { state -> ([SystemThread], Bool) in
            guard let entry = state.open.removeValue(forKey: number) else { return ([], state.isStopped) }
            // Closed under the lock, so that `interruptAll` never uses a number that the kernel has reused.
            SystemSocket.close(entry.descriptor)
            // `stop()` has taken all threads and joins them.
            guard !state.isStopped else { return ([], true) }
            let earlier = state.done
            state.done = [entry.thread]
            return (earlier, entry.isInterrupted)
        }
        closed(byServer)
        // No deadlock: each thread joins only threads that came here before it.
        for thread in earlier { thread.join() }
    }

    /// Notes that a connection waits for a request, or that one has come.
    func note(_ number: Int, isIdle: Bool) {
        state.withLock { state in
            state.open[number]?.isIdle = isIdle
            state.open[number]?.since = .now
        }
    }

    /// Whether another connection may be accepted.
    ///
    /// At the limit the one that has idled longest begins to end, or else the one whose peer has taken longest for a
    /// reply; one that has just begun stays. Those that end count for as long as they need, so there are never more
    /// than twice as many.
    ///
    /// - Parameter isShort: Whether the process has no descriptor for it.
    /// - Complexity: O(*n*) in the open connections at the limit.
    func hasRoom(isShort: Bool = false) -> Bool {
        state.withLock { state in
            let limit = isShort ? state.open.count : max(1, limits.maximumConnectionCount)
            guard state.open.count >= limit else { return true }
            let ending = state.open.values.count { $0.isInterrupted }
            guard state.open.count - ending >= limit else { return !isShort && state.open.count < 2 * limit }
            let now = ContinuousClock.now
            guard let (number, entry) = Self.oldest(of: state.open, at: now) else { return false }
            if entry.isIdle, SystemSocket.waitForBytes(on: entry.descriptor, for: .zero) {
                // Its request may have come, and its thread has not read it.
                state.open[number]?.since = now
                return false
            }
            Self.interrupt(number, in: &state)
            return true
        }
    }

    private static func oldest(
        of open: [Int: Entry], at now: ContinuousClock.Instant
    ) -> (key: Int, value: Entry)? {
        let others = open.lazy.filter { !$0.value.isInterrupted }
        return others.filter { $0.value.isIdle && $0.value.since + .milliseconds(50) <= now }
            .min { $0.value.since < $1.value.since }
            ?? others.filter {
                !$0.value.isIdle && $0.value.since + .seconds(1) <= now
                    && SystemSocket.hasUnsentBytes($0.value.descriptor)
            }.min { $0.value.since < $1.value.since }
    }

    /// Ends the connections whose requests or replies take longer than they may.
    func endOverdue() {
        state.withLock { state in
            for (number, entry) in state.open {
                guard let timeout = entry.isIdle ? limits.requestTimeout : limits.replyTimeout,
                    entry.since + timeout <= .now
                else { continue }
                Self.interrupt(number, in: &state)
            }
        }
    }

    private static func interrupt(_ number: Int, in state: inout State) {
        guard let entry = state.open[number] else { return }
        state.open[number]?.isInterrupted = true
        SystemSocket.shutDown(entry.descriptor)
    }

    /// Ends all open connections; their threads notice it at once and close them.
    func interruptAll() {
        state.withLock { state in
            for number in state.open.keys { Self.interrupt(number, in: &state) }
        }
    }

    /// Ends all open connections and waits for the end of all threads.
    func stop() {
        let threads = state.withLock { state -> [SystemThread] in
            state.isStopped = true
            for entry in state.open.values { SystemSocket.shutDown(entry.descriptor) }
            let threads = state.open.values.map(\.thread) + state.done
            state.done = []
            return threads
        }
        for thread in threads { thread.join() }
    }
}
