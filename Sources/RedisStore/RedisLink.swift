// SPDX-License-Identifier: MIT
import EventLoops
import SharedStores
import TaskCoordination

/// The connections of a store and what waits for them: an actor on its own event loop.
actor RedisLink: LoopResident {
    enum Message: Sendable {
        case command(RedisCommand, leasing: SharedKey?, OneShot<Result<RedisReply, any Error>>)
        case awaitConnection(OneShot<Bool>)
        case listen(String, Bell)
        case arm(Bell, Duration)
        case leave(String, Bell)
        case endLease(SharedLease)
    }

    struct HeldLease {
        let lease: SharedLease
        var renewAt: UInt64
        let until: UInt64
    }

    enum Phase {
        case down(retryAt: UInt64)
        /// The number of replies until the connections are used.
        case connecting(missing: Int, deadline: UInt64)
        case connected
        case ended
    }

    nonisolated let loop = EventLoop(name: "redis")
    nonisolated let mail: Mailbox<Message>
    let configuration: RedisStore.Configuration
    var loopToken: UInt32 = 0
    var phase: Phase
    var commands: RedisConnection?
    var messages: RedisConnection?
    var retryDelay: Duration
    var bells: [String: [ObjectIdentifier: Bell]] = [:]
    var leases: [SharedKey: HeldLease] = [:]
    var pingAt: UInt64 = 0
    var connectionWaiters: [OneShot<Bool>] = []
    /// What the server has said first against the log-in.
    var refusal: SharedStoreError?
    /// Why there is no connection, also while another is made.
    var lastFailure = SharedStoreError(code: .unreachable, message: "Redis is not connected yet.")

    init(_ configuration: RedisStore.Configuration) {
        func bounded(_ delay: Duration) -> Duration { min(max(.milliseconds(1), delay), .seconds(3_600)) }
        var configuration = configuration
        let delays = configuration.retryDelay
        configuration.retryDelay = bounded(delays.lowerBound)...bounded(delays.upperBound)
        self.configuration = configuration
        mail = Mailbox(on: loop)
        retryDelay = configuration.retryDelay.lowerBound
        phase = .down(retryAt: 0)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    nonisolated func start() {
        if !loop.start([self]) { for message in mail.close() { message.refuse() } }
    }

    // MARK: - Calls from other threads

    /// Sends a command.
    ///
    /// - Parameter key: The entry, when the command asks for its lease. A lease that is granted is renewed from the same
    ///   step on; one that is granted to a caller that has left is given back.
    nonisolated func reply(to command: RedisCommand, leasing key: SharedKey? = nil) async throws -> RedisReply {
        let place = OneShot<Result<RedisReply, any Error>>()
        guard mail.post(.command(command, leasing: key, place)) else { throw Self.shutDown }
        return try await place.wait(onCancel: .failure(CancellationError())).get()
    }

    static var shutDown: SharedStoreError {
        SharedStoreError(code: .shutDown, message: "The store was shut down.")
    }

    // MARK: - Turns

    func loopBegins(with token: UInt32) { loopToken = token }

    var hasMail: Bool { !mail.isEmpty }

    func takeTurn() -> UInt64? {
        for message in mail.take() { handle(message) }
        let now = configuration.now()
        switch phase {
        case .down(let retryAt): if now >= retryAt { connect(now) }
        case .connecting(_, let deadline): if now >= deadline { fail(tooLateToConnect) }
        case .connected:
            endLateCommands(now)
            careForLeases(now)
            careForBells(now)
        case .ended: return nil
        }
        perform { connection throws(SharedStoreError) in try connection.flush() }
        return nextTurn
    }

    var nextTurn: UInt64? {
        switch phase {
        case .down(let retryAt): return retryAt
        case .connecting(_, let deadline): return deadline
        case .ended: return nil
        case .connected:
            var next = UInt64.max
            for connection in [commands, messages] { next = min(next, connection?.deadline ?? .max) }
            for lease in leases.values { next = min(next, lease.renewAt) }
            if !bells.isEmpty { next = min(next, pingAt) }
            return next == .max ? nil : next
        }
    }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        perform { connection throws(SharedStoreError) in
            if connection.owns(descriptor) { try connection.ready(readiness) }
        }
    }

    func loopEnds() {
        let late = mail.close()
        phase = .ended
        close(Self.shutDown)
        for message in late { message.refuse() }
        for waiter in connectionWaiters { waiter.resolve(false) }
        connectionWaiters = []
    }

    private func handle(_ message: Message) {
        switch message {
        case .command(let command, leasing: nil, let place): send(command) { place.resolve($0.mapError { $0 }) }
        case .command(let command, leasing: let key?, let place):
            send(command) { result in self.assumeIsolated { $0.granted(result, key, place) } }
        case .awaitConnection(let place):
            if case .connected = phase { place.resolve(true) } else { connectionWaiters.append(place) }
        case .listen(let key, let bell):
            // Its first sign of life is due one interval after the wait begins.
            if bells.isEmpty { pingAt = configuration.now() + Self.nanoseconds(configuration.pingInterval) }
            bells[key, default: [:]][ObjectIdentifier(bell)] = bell
        case .arm(let bell, let wait): bell.arm(configuration.now() + Self.nanoseconds(wait))
        case .leave(let key, let bell):
            bells[key]?[ObjectIdentifier(bell)] = nil
            if bells[key]?.isEmpty == true { bells[key] = nil }
        case .endLease(let lease): forget(lease)
        }
    }

    func send(_ command: RedisCommand, _ answer: @escaping RedisConnection.Answer) {
        guard case .connected = phase, let commands else { return answer(.failure(why)) }
        let deadline = configuration.now() + Self.nanoseconds(configuration.commandTimeout)
        guard command.isScript else { return commands.send(command, deadline: deadline, answer) }
        commands.send(command, deadline: deadline) { result in
            guard case .success(.error(let text)) = result, text.hasPrefix("NOSCRIPT") else { return answer(result) }
            // The server has forgotten the scripts, as SCRIPT FLUSH makes it. They are loaded before the command comes
            // again.
            for script in RedisScript.loading { commands.send(script, deadline: deadline) { _ in } }
            commands.send(command, deadline: deadline, answer)
        }
    }

    var why: SharedStoreError {
        if case .ended = phase { Self.shutDown } else { lastFailure }
    }

    static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = min(max(.zero, duration), .seconds(86_400 * 365)).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

extension RedisLink.Message {
    /// Answers a message that came too late.
    func refuse() {
        switch self {
        case .command(_, _, let place): place.resolve(.failure(RedisLink.shutDown))
        case .awaitConnection(let place): place.resolve(false)
        case .listen(_, let bell), .arm(let bell, _): bell.resolve(RedisLink.shutDown)
        case .leave, .endLease: break
        }
    }
}
