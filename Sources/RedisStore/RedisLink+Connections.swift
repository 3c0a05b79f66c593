// SPDX-License-Identifier: MIT
import EventLoops
import SharedStores
import TaskCoordination

// MARK: - Connections

extension RedisLink {
    func connect(_ now: UInt64) {
        let largest = min(max(0, configuration.maximumOriginalByteCount, configuration.maximumFileByteCount), 1 << 30)
        let deadline = now + Self.nanoseconds(configuration.connectTimeout)
        do throws(SharedStoreError) {
            let address = configuration.address
            let commands = try RedisConnection(
                to: address, on: loop, token: loopToken, byteLimit: 2 * largest + (1 << 20))
            let messages = try RedisConnection(to: address, on: loop, token: loopToken, byteLimit: 1 << 20) { reply in
                self.assumeIsolated { $0.heard(reply) }
            }
            (self.commands, self.messages) = (commands, messages)
            var login: [RedisCommand] = []
            if let password = address.password {
                login.append(RedisCommand(["AUTH"] + (address.user.map { [$0] } ?? []) + [password]))
            }
            let own = login + [RedisCommand(["SELECT", "\(address.database)"])] + RedisScript.loading
            phase = .connecting(missing: own.count + login.count + 1, deadline: deadline)
            for command in own { greet(commands, command, deadline) }
            for command in login + [RedisCommand(["SUBSCRIBE", configuration.channel])] {
                greet(messages, command, deadline)
            }
        } catch {
            fail(error)
        }
    }

    private func greet(_ connection: RedisConnection, _ command: RedisCommand, _ deadline: UInt64) {
        connection.send(command, deadline: deadline) { result in self.assumeIsolated { $0.welcomed(result) } }
    }

    private func welcomed(_ result: Result<RedisReply, SharedStoreError>) {
        guard case .connecting(let missing, let deadline) = phase, case .success(let reply) = result else { return }
        if case .error = reply {
            // Outside the call of the connection, which this ends. What follows a refused log-in is refused for it.
            refusal = refusal ?? RedisStore.unexpected(reply)
        } else if missing > 1 {
            phase = .connecting(missing: missing - 1, deadline: deadline)
        } else {
            phase = .connected
            retryDelay = configuration.retryDelay.lowerBound
            for waiter in connectionWaiters { waiter.resolve(true) }
            connectionWaiters = []
        }
    }

    func endLateCommands(_ now: UInt64) {
        func isLate() -> Bool { [commands, messages].contains { ($0?.deadline ?? .max) <= now } }
        guard isLate() else { return }
        // When this thread was late itself, the reply has come.
        perform { connection throws(SharedStoreError) in try connection.read() }
        if isLate() { fail(late(configuration.commandTimeout)) }
    }

    /// Whether a reply is due.
    var isWaiting: Bool { commands?.deadline != nil || messages?.deadline != nil }

    func late(_ limit: Duration) -> SharedStoreError {
        let message = "Redis at \(configuration.address.description) did not answer within \(limit)."
        return SharedStoreError(code: .timedOut, message: message)
    }

    private static let tlsHint = " If this port is without TLS, name it redis: in place of rediss:."

    var tooLateToConnect: SharedStoreError {
        let error = late(configuration.connectTimeout)
        let isEncrypting = configuration.address.tls != nil && commands?.isConnected == false
        return SharedStoreError(code: error.code, message: error.message + (isEncrypting ? Self.tlsHint : ""))
    }

    /// Does something with both connections, and ends both when one fails.
    func perform(_ body: (RedisConnection) throws(SharedStoreError) -> Void) {
        do throws(SharedStoreError) {
            for connection in [commands, messages] {
                if let connection { try body(connection) }
            }
            if let refusal { throw refusal }
        } catch {
            fail(error)
        }
    }

    func fail(_ error: SharedStoreError) {
        refusal = nil
        let delay = retryDelay * Double.random(in: 0.5...1)
        retryDelay = min(retryDelay * 2, configuration.retryDelay.upperBound)
        lastFailure = error
        phase = .down(retryAt: configuration.now() + Self.nanoseconds(delay))
        close(error)
    }

    func close(_ error: SharedStoreError) {
        let (commands, messages) = (commands, messages)
        (self.commands, self.messages) = (nil, nil)
        commands?.close(error)
        messages?.close(error)
        leases = [:]
        let waiting = bells.values.flatMap(\.values)
        bells = [:]
        for bell in waiting { bell.resolve(error) }
    }
}
