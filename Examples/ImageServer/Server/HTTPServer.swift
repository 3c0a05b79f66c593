// SPDX-License-Identifier: MIT
import EventLoops
import PlatformBasics

/// An HTTP/1.1 server for requests without content, on the loop that is the executor of this actor.
///
/// The connections and their requests are isolated state. An answer that is recalled is sent at once. Else the handler
/// runs in a task of its own for each request. It begins in the turn in which the head has come, so an answer that
/// needs no wait is sent at once, too; otherwise the connection waits until the task has ended.
///
/// A request holds one of ``Limits/requests`` while its answer is made, and not while the client takes it. When
/// connections or descriptors run out, the connection that has been idle for the longest time gives way, and then the
/// slowest reader. **Cancellation**: a client that leaves while it waits cancels the task of its request. A client that
/// ends its own direction of the connection counts as one that leaves.
///
/// Written here, because what Debian has does not do it: libmicrohttpd sends the head of its own refusals twice, keeps
/// the heads of request and answer in one memory, and owns the sockets, so that what waits for slow readers can share
/// no budget.
actor HTTPServer: LoopResident {
    /// Makes the answer to a request.
    typealias Handler = @Sendable (ServerRequest) async -> Answer
    /// The answer to a request that is at hand; `nil` when it must be made.
    typealias Recall = @Sendable (ServerRequest) -> Answer?

    nonisolated let loop: EventLoop
    let limits: Limits
    let recall: Recall
    let handler: Handler
    let onEnd: @Sendable (FinishedRequest) -> Void

    private(set) var listener: Int32 = -1
    private(set) var token: UInt32 = 0
    /// When a listener that found no room looks again; `nil` while it is watched.
    var nextLook: UInt64?
    private var nextSweep: UInt64?
    var table = ConnectionTable()
    var requestID = RequestID()
    var date = (second: 0, text: "")
    /// What has just been received.
    var received = [UInt8](repeating: 0, count: 16_384)
    /// The requests whose answers are being made.
    private(set) var runningCount = 0
    private(set) var isDraining = false
    /// Whether each connection closes after its next answer.
    private(set) var isRetiring = false
    /// Whether the time for draining is over.
    private(set) var isCut = false
    /// Whether a drain still waits for requests of new connections.
    private var expectsRequests = true
    private var cutCount = 0
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - loop: The thread, which several servers may share. It starts with them, and after that they listen.
    ///   - onEnd: Called on the loop when a request has ended; must return soon.
    ///   - recall: Called on the loop before a task is made; must return at once. Recalls nothing by default.
    ///   - handler: Begins on the loop, so it must move long work elsewhere.
    init(
        on loop: EventLoop, limits: Limits = Limits(), onEnd: @escaping @Sendable (FinishedRequest) -> Void = { _ in },
        recall: @escaping Recall = { _ in nil }, handler: @escaping Handler
    ) {
        self.loop = loop
        self.limits = limits
        self.onEnd = onEnd
        self.recall = recall
        self.handler = handler
    }

    /// Takes connections until ``drain(within:)``.
    ///
    /// - Parameter socket: Belongs to the server from now on.
    /// - Throws: ``ServerError``.
    func start(_ socket: ListeningSocket) throws(ServerError) {
        precondition(listener < 0, "A server starts once.")
        listener = socket.descriptor
        guard loop.watch(listener, for: .reading, token: token, isNew: true) else {
            throw .system("The server cannot watch its socket")
        }
    }

    /// The open connections.
    var connectionCount: Int { table.count }
    /// The answers that their clients have not taken.
    var waitingCount: Int { table.waiting.count }

    // MARK: - Turns

    nonisolated var hasMail: Bool { false }

    func loopBegins(with token: UInt32) { self.token = token }

    func loopEnds() {}

    func takeTurn() -> UInt64? {
        if let look = nextLook {
            guard EventLoop.nanoseconds >= look else { return min(look, sweepIfDue() ?? .max) }
            nextLook = nil
            _ = loop.watch(listener, for: .reading, token: token, isNew: true)
        }
        return sweepIfDue()
    }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        if descriptor == listener { return acceptConnections() }
        // The event may be of an earlier connection with the same descriptor, so every case asks the system again.
        guard let connection = table[descriptor] else { return }
        switch connection.phase {
        case .reading: read(connection)
        case .working: if Self.hasEvent(descriptor, Int16(0x2000)) { end(connection) }  // POLLRDHUP
        case .sending: push(connection)
        case .closing: discardInput(connection)
        case .ended: break
        }
    }

    /// Ends the connections whose deadline has passed, or whose client is too slow.
    /// - Returns: When the next sweep is due; `nil` without connections.
    private func sweepIfDue() -> UInt64? {
        guard table.count > 0 else {
            nextSweep = nil
            return nil
        }
        let now = EventLoop.nanoseconds
        let due = nextSweep ?? now + sweepInterval
        nextSweep = due
        guard now >= due else { return due }
        nextSweep = now + sweepInterval
        for connection in Array(table.all) where connection.deadline <= now || isTooSlow(connection, at: now) {
            end(connection, status: 408)
        }
        return nextSweep
    }

    private var sweepInterval: UInt64 {
        let shortest = min(limits.headTimeout, limits.idleTimeout, limits.sendTimeout, limits.rateGrace)
        return max(1_000_000, min(.seconds(1), shortest / 4).nanoseconds)
    }

    private func isTooSlow(_ connection: Connection, at now: UInt64) -> Bool {
        let grace = limits.rateGrace.nanoseconds
        let wanted = { (since: UInt64) in Int((now - since) / 1_000_000) * self.limits.byteRate / 1_000 }
        switch connection.phase {
        case .reading where connection.unfinishedCount > 0:
            let began = connection.headBegan + grace
            return began < now && connection.unfinishedCount < wanted(began)
        case .sending where connection.taken.at + grace < now:
            let taken = connection.output.sentCount - Self.unsentByteCount(connection.descriptor)
            let isSlow = taken - connection.taken.count < wanted(connection.taken.at)
            connection.taken = (taken, now)
            return isSlow
        default: return false
        }
    }

    func countUp() { runningCount += 1 }

    func countDown() {
        runningCount -= 1
        checkIdle()
    }

    func checkIdle() {
        guard isDraining, !isBusy else { return }
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    // MARK: - The end

    /// Closes each connection after its next answer, and takes new ones, until ``drain(within:)``.
    func retire() { isRetiring = true }

    /// Takes no more connections, lets running requests finish, and closes everything.
    ///
    /// A connection that has brought no request yet, or a part of one, has ``Limits/lastHeadTimeout`` for it: its
    /// client cannot know that the server ends.
    /// - Parameter grace: When it is over, the tasks of the remaining requests are cancelled, and clients that do not
    ///   take their answers are cut off.
    /// - Returns: The number of requests that were cancelled or cut off.
    func drain(within grace: Duration) async -> Int {
        guard listener >= 0, !isDraining else { return 0 }
        // The system has taken these for the server already.
        for _ in 0..<64 where nextLook == nil && Self.hasEvent(listener, Int16(POLLIN)) { acceptConnections() }
        isDraining = true
        if nextLook == nil { loop.forget(listener) }
        nextLook = nil
        close(listener)
        listener = -1
        let timer = Task {
            let first = min(grace, limits.lastHeadTimeout)
            try await Task.sleep(for: first)
            self.expectsRequests = false
            self.endIdleConnections()
            try await Task.sleep(for: grace - first)
            self.cutOff()
        }
        endIdleConnections()
        while isBusy { await withCheckedContinuation { idleWaiters.append($0) } }
        timer.cancel()
        for connection in Array(table.all) { end(connection) }
        return cutCount
    }

    /// Whether a request is under way, or is expected.
    private var isBusy: Bool {
        runningCount > 0 || !table.waiting.isEmpty || expectsRequests && table.all.contains(where: isExpected)
    }

    /// Whether a connection has brought no request yet, or a part of one.
    private func isExpected(_ connection: Connection) -> Bool {
        guard case .reading = connection.phase else { return false }
        return connection.requestCount == 0 || connection.unfinishedCount > 0
    }

    private func endIdleConnections() {
        for connection in Array(table.all) {
            if case .reading = connection.phase, Self.hasEvent(connection.descriptor, Int16(POLLIN)) {
                read(connection)
            }
            guard case .reading = connection.phase, !expectsRequests || !isExpected(connection) else { continue }
            end(connection)
        }
    }

    private func cutOff() {
        isCut = true
        for connection in Array(table.all) {
            switch connection.phase {
            case .working(let task):
                cutCount += 1
                task?.cancel()
            case .sending:
                cutCount += 1
                end(connection)
            default: break
            }
        }
    }
}
