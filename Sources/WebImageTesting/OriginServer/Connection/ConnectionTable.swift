internal import Synchronization

/// The open connections of a server and the threads that serve them.
///
/// Nothing gets lost: a descriptor is closed by the thread that served it, a thread is joined by the next one that
/// ends, or by ``stop()``.
final class ConnectionTable: Sendable {
    private struct Entry {
        let descriptor: CInt
        let thread: SystemThread
        var isInterrupted = false
    }

    private struct State {
        var accepted = 0
        var open: [Int: Entry] = [:]
        /// Threads that are done, or have nothing left to do but to join the ones before them.
        var done: [SystemThread] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let stackByteCount: Int

    init(stackByteCount: Int) {
        self.stackByteCount = stackByteCount
    }

    /// Connections that are open now.
    var openCount: Int { state.withLock { $0.open.count } }
    /// Connections that were ever accepted.
    var acceptedCount: Int { state.withLock { $0.accepted } }

    /// Serves a connection on a thread of its own.
    ///
    /// - Parameters:
    ///   - descriptor: The socket; it is the table's from here on, also when no thread can be started.
    ///   - serve: Runs on the thread. Gets the number of the connection, from 1 in the order of acceptance, and has to
    ///     call ``end(_:closed:)`` with it last.
    func add(descriptor: CInt, serve: @escaping @Sendable (_ number: Int) -> Void) {
        state.withLock { state in
            state.accepted += 1
            let number = state.accepted
            // Started under the lock: the thread cannot get to `end` before its entry is there.
            guard !state.isStopped,
                let thread = try? SystemThread.start(stackByteCount: stackByteCount, { serve(number) })
            else {
                SystemSocket.close(descriptor)
                return
            }
            state.open[number] = Entry(descriptor: descriptor, thread: thread)
        }
    }

    /// Closes a connection, on the thread that served it.
    ///
    /// - Parameter closed: Runs when the connection is no longer counted as open; is told whether the server had ended
    ///   it from outside, by ``interruptAll()`` or ``stop()``.
    func end(_ number: Int, closed: (_ byServer: Bool) -> Void) {
        let (earlier, byServer) = state.withLock { state -> ([SystemThread], Bool) in
            guard let entry = state.open.removeValue(forKey: number) else { return ([], state.isStopped) }
            // Closed under the lock: `interruptAll` never meets a number the kernel has given to somebody else.
            SystemSocket.close(entry.descriptor)
            // Whoever stops the server took all threads with it.
            guard !state.isStopped else { return ([], true) }
            let earlier = state.done
            state.done = [entry.thread]
            return (earlier, entry.isInterrupted)
        }
        closed(byServer)
        // No circle: each thread joins only those which came here before it did.
        for thread in earlier { thread.join() }
    }

    /// Ends all open connections; their threads find out at once and close them.
    func interruptAll() {
        state.withLock { state in
            for (number, entry) in state.open {
                state.open[number]?.isInterrupted = true
                SystemSocket.shutDown(entry.descriptor)
            }
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
