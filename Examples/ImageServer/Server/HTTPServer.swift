// SPDX-License-Identifier: MIT
import CMicrohttpd
import EventLoops
import Foundation

/// An HTTP/1.1 server: libmicrohttpd without a thread of its own, on the loop that is the executor of this actor.
///
/// The daemon, its connections and their requests are isolated state. The callbacks of libmicrohttpd run on the loop,
/// within a call of the actor, and pass the address of the connection as its name.
///
/// An answer that is recalled is sent at once. Else the handler runs in a task of its own for each request. It begins in the
/// callback, so an answer that needs no wait is sent at once, too; otherwise libmicrohttpd suspends the connection until the
/// task has ended.
/// **Cancellation**: a client that leaves while it waits cancels the task of its request. A client that ends its own
/// direction of the connection counts as one that leaves.
@safe actor HTTPServer: LoopResident {
    /// Makes the answer to a request.
    typealias Handler = @Sendable (ServerRequest) async -> Answer
    /// The answer to a request that is at hand; `nil` when it must be made.
    typealias Recall = @Sendable (ServerRequest) -> Answer?

    nonisolated let loop: EventLoop
    let limits: Limits
    let recall: Recall
    let handler: Handler
    private let onEnd: @Sendable (FinishedRequest) -> Void
    private let clock = ContinuousClock()

    private var daemon: OpaquePointer?
    private var epoll: Int32 = -1
    private var token: UInt32 = 0
    /// Whether libmicrohttpd has something to do that no descriptor shows.
    private var mustRun = false
    private var nextSweep: UInt64?
    var connections: [UInt: Connection] = [:]
    private var lastNumber: UInt64 = 0
    private var requestID = RequestID()
    /// The requests from the end of their head to the end of their answer.
    private(set) var runningCount = 0
    private(set) var isDraining = false
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
        precondition(unsafe daemon == nil, "A server starts once.")
        // The loop holds the actor until it stops, after the daemon, so the pointer outlives all callbacks.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        // libmicrohttpd clears the room for a head for each request, so more of it than is needed costs time.
        let room = limits.targetByteCount + max(8_192, limits.fields * 128)
        unsafe daemon = microhttpd_start(
            socket.descriptor, UInt32(clamping: limits.connections), room,
            connectionCallback, targetCallback, requestCallback, completionCallback, context)
        if let daemon = unsafe daemon { epoll = unsafe microhttpd_epoll(daemon) }
        guard epoll >= 0, loop.watch(epoll, for: .reading, token: token, isNew: true) else {
            throw ServerError(message: "libmicrohttpd does not start: the process has no descriptor left.")
        }
        mustRun = true
    }

    /// The open connections.
    var connectionCount: Int { connections.count }

    // MARK: - Turns

    nonisolated var hasMail: Bool { false }

    func loopBegins(with token: UInt32) { self.token = token }

    func loopEnds() {}

    func takeTurn() -> UInt64? {
        if mustRun { runDaemon() }
        guard let daemon = unsafe daemon else { return nil }
        if mustRun { return 0 }
        let sweep = sweepIfDue()
        var wait: CUnsignedLongLong = 0
        guard unsafe MHD_get_timeout(daemon, &wait) == .YES else { return sweep }
        mustRun = true
        return min(sweep ?? .max, EventLoop.nanoseconds + min(wait, 1_000_000) * 1_000_000)
    }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        if descriptor == epoll { return mustRun = true }
        // The event may be of an earlier connection with the same descriptor.
        var entry = pollfd(fd: descriptor, events: Int16(0x2000), revents: 0)  // POLLRDHUP
        guard unsafe poll(&entry, 1, 0) > 0 else { return }
        for (name, connection) in connections where connection.descriptor == descriptor { peerLeft(name) }
    }

    private func runDaemon() {
        mustRun = false
        if let daemon = unsafe daemon { unsafe MHD_run(daemon) }
    }

    /// Ends the connections whose deadline has passed.
    /// - Returns: When the next sweep is due; `nil` without connections.
    private func sweepIfDue() -> UInt64? {
        guard !connections.isEmpty else {
            nextSweep = nil
            return nil
        }
        let now = EventLoop.nanoseconds
        let due = nextSweep ?? now + sweepInterval
        nextSweep = due
        guard now >= due else { return due }
        nextSweep = now + sweepInterval
        let moment = clock.now
        for (name, connection) in connections where connection.deadline.map({ $0 <= moment }) == true {
            hangUp(name)
        }
        return nextSweep
    }

    /// In nanoseconds.
    private var sweepInterval: UInt64 {
        let interval = min(.seconds(1), min(limits.headTimeout, limits.idleTimeout, limits.sendTimeout) / 4)
        return UInt64(max(1, interval / .nanoseconds(1)))
    }

    /// Ends both directions of a connection; libmicrohttpd then sees its end and closes it.
    private func hangUp(_ name: UInt) {
        guard let connection = connections[name] else { return }
        connection.deadline = nil
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
    }

    // MARK: - Connections

    func connectionBegan(_ name: UInt, descriptor: Int32, peer: String) {
        connections[name] = Connection(
            descriptor: descriptor, peer: peer, deadline: clock.now + limits.headTimeout)
    }

    func connectionEnded(_ name: UInt) {
        connections[name] = nil
        // At its limit, libmicrohttpd has stopped to watch for new connections; it starts again in its next run.
        mustRun = true
    }

    /// The request on a connection has ended, whether it was answered or not.
    func exchangeEnded(_ name: UInt, isComplete: Bool) {
        guard let connection = connections[name] else { return }
        let now = clock.now
        if let finished = connection.finished(isComplete: isComplete, at: now) { onEnd(finished) }
        switch connection.phase {
        case .idle, .arriving: break
        default: countDown()
        }
        connection.phase = .idle
        connection.deadline = now + limits.idleTimeout
    }

    func exchangeBegan(_ name: UInt, target: String) {
        guard let connection = connections[name] else { return }
        lastNumber += 1
        connection.requestCount += 1
        connection.phase = .arriving(
            .init(number: lastNumber, id: requestID.next(), target: target, began: clock.now))
    }

    func countUp() { runningCount += 1 }

    private func countDown() {
        runningCount -= 1
        guard runningCount == 0 else { return }
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    /// Stops the clock of a connection while the server works, and starts it for the answer.
    func setDeadline(_ connection: Connection, forSending: Bool) {
        connection.deadline = forSending ? clock.now + limits.sendTimeout : nil
    }

    /// libmicrohttpd does not look at a suspended connection, so the loop does.
    func watchForHangUp(_ connection: Connection) {
        _ = loop.watch(connection.descriptor, for: .leaving, token: token, isNew: true)
    }

    func resume(_ name: UInt, _ connection: Connection) {
        loop.forget(connection.descriptor)
        unsafe MHD_resume_connection(OpaquePointer(bitPattern: name))
        mustRun = true
    }

    private func peerLeft(_ name: UInt) {
        guard let connection = connections[name], case .working(_, let task) = connection.phase else { return }
        loop.forget(connection.descriptor)
        // The connection stays suspended until the task has ended.
        connection.hasLeft = true
        task?.cancel()
    }

    // MARK: - The end

    /// Takes no more connections, lets running requests finish, and closes everything.
    ///
    /// - Parameter grace: When it is over, the tasks of the remaining requests are cancelled, and clients that do not
    ///   take their answers are cut off.
    /// - Returns: The number of requests that were cancelled or cut off.
    func drain(within grace: Duration) async -> Int {
        guard let daemon = unsafe daemon, !isDraining else { return 0 }
        isDraining = true
        // libmicrohttpd gives the socket back, which is the server's to close.
        let listener = unsafe MHD_quiesce_daemon(daemon)
        if listener >= 0 { close(listener) }
        let timer = Task {
            try await Task.sleep(for: grace)
            self.cutOff()
        }
        while runningCount > 0 { await withCheckedContinuation { idleWaiters.append($0) } }
        timer.cancel()
        loop.forget(epoll)
        unsafe self.daemon = nil
        // No connection is suspended any more, which would end the process.
        unsafe MHD_stop_daemon(daemon)
        return cutCount
    }

    private func cutOff() {
        for (name, connection) in connections {
            switch connection.phase {
            case .working(_, let task):
                cutCount += 1
                task?.cancel()
            case .sending:
                cutCount += 1
                hangUp(name)
            default: break
            }
        }
    }
}
