// SPDX-License-Identifier: MIT
import EventLoops
import PlatformBasics

extension HTTPServer {
    func acceptConnections() {
        for turn in 0..<64 {
            // Who waits is seen once; whether another one waits, the next event says.
            if table.count >= limits.connections, turn > 0 || !makeRoom() { return turn > 0 ? () : pause() }
            var address = sockaddr_storage()
            let descriptor = Self.accept(listener, &address)
            guard descriptor >= 0 else {
                switch errno {
                case EAGAIN: return
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: if makeRoom() { continue } else { return pause() }
                default: continue
                }
            }
            let peer = Self.text(of: address)
            guard table.count(of: peer) < limits.connectionsPerAddress || peer.isEmpty,
                loop.watch(descriptor, for: .reading, token: token, isNew: true)
            else {
                close(descriptor)
                continue
            }
            let connection = Connection(descriptor: descriptor, peer: peer)
            let now = EventLoop.nanoseconds
            connection.deadline = now + limits.headTimeout.nanoseconds
            table.insert(connection)
            table.beginIdling(connection, at: now)
        }
    }

    /// Ends the connection that has been idle for the longest time, or that of the slowest reader.
    ///
    /// - Returns: Whether one could be ended. One that has just come may still send its request.
    private func makeRoom() -> Bool {
        let now = EventLoop.nanoseconds
        while let oldest = table.oldestIdle, let since = oldest.idleSince, since + 50_000_000 <= now {
            // Its request may have come by now.
            if case .reading = oldest.phase, Self.hasEvent(oldest.descriptor, Int16(POLLIN)) { read(oldest) }
            guard oldest.idleSince == since else { continue }
            end(oldest, status: 408)
            return true
        }
        guard let slowest = table.slowestReader(at: now), slowest.sendingBegan + 1_000_000_000 <= now else {
            return false
        }
        end(slowest)
        return true
    }

    /// Stops to listen for a moment.
    private func pause() {
        loop.forget(listener)
        nextLook = EventLoop.nanoseconds + 50_000_000
    }

    func read(_ connection: Connection) {
        let count = unsafe received.withUnsafeMutableBytes {
            unsafe recv(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        guard count > 0 else {
            if count == 0 || errno != EAGAIN && errno != EINTR { end(connection) }
            return
        }
        if connection.unfinishedCount == 0 { connection.headBegan = EventLoop.nanoseconds }
        connection.input += received[..<count]
        advance(connection)
    }

    func discardInput(_ connection: Connection) {
        let count = unsafe received.withUnsafeMutableBytes {
            unsafe recv(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { end(connection) }
    }

    func watch(_ connection: Connection, for interest: Readiness) {
        guard connection.interest != interest else { return }
        connection.interest = interest
        _ = loop.watch(connection.descriptor, for: interest, token: token, isNew: false)
    }

    /// Closes a connection at once, whatever it is doing.
    ///
    /// - Parameter status: What the log says of a request that has no answer yet.
    func end(_ connection: Connection, status: Int = 499) {
        let now = EventLoop.nanoseconds
        var status = status
        switch connection.phase {
        case .ended: return
        case .reading: beginUnfinishedExchange(connection)
        case .working(let task): task?.cancel()
        case .sending: status = connection.exchange?.status ?? status
        case .closing: break
        }
        if let finished = connection.finished(status, isComplete: false, at: now) { onEnd(finished) }
        connection.exchange = nil
        connection.phase = .ended
        table.remove(connection)
        loop.forget(connection.descriptor)
        close(connection.descriptor)
        if nextLook != nil { nextLook = 0 }
        checkIdle()
    }

    /// The answer of a connection is sent.
    func exchangeEnded(_ connection: Connection) {
        let now = EventLoop.nanoseconds
        table.endWaiting(connection)
        guard let exchange = connection.exchange else { return }
        if let finished = connection.finished(exchange.status, isComplete: true, at: now) { onEnd(finished) }
        connection.exchange = nil
        connection.output = Output()
        if exchange.isLast {
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.phase = .closing
            connection.input = []
            connection.deadline = now + 2_000_000_000
        } else if exchange.closes {
            return end(connection)
        } else {
            connection.phase = .reading
            connection.headBegan = now
            connection.deadline = now + limits.idleTimeout.nanoseconds
        }
        table.beginIdling(connection, at: now)
        watch(connection, for: .reading)
        checkIdle()
    }
}
