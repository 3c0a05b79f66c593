// SPDX-License-Identifier: MIT
import EventLoops
import SharedStores
import Synchronization
import TaskCoordination

// MARK: - Leases and waits

extension RedisLink {
    func granted(
        _ result: Result<RedisReply, SharedStoreError>, _ key: SharedKey,
        _ place: OneShot<Result<RedisReply, any Error>>
    ) {
        let hears = place.resolve(result.mapError { $0 })
        guard case .success(.list(let parts)) = result, parts.first == .integer(2), parts.count > 1,
            case .integer(let token) = parts[1]
        else { return }
        let lease = SharedLease(key: key, token: token)
        guard hears else { return send(configuration.finishing(lease, with: .released)) { _ in } }
        let now = configuration.now()
        leases[key] = HeldLease(
            lease: lease, renewAt: now + Self.nanoseconds(configuration.leaseTime / 3),
            until: now + Self.nanoseconds(configuration.maximumLease))
    }

    func careForLeases(_ now: UInt64) {
        for (key, held) in leases where now >= held.renewAt {
            guard now < held.until else {
                leases[key] = nil
                continue
            }
            leases[key]?.renewAt = now + Self.nanoseconds(configuration.leaseTime / 3)
            send(configuration.renewing(held.lease)) { result in
                // The lease has gone to another process.
                if case .success(.integer(0)) = result { self.assumeIsolated { $0.forget(held.lease) } }
            }
        }
    }

    func forget(_ lease: SharedLease) {
        if leases[lease.key]?.lease == lease { leases[lease.key] = nil }
    }

    func careForBells(_ now: UInt64) {
        guard !bells.isEmpty, now >= pingAt else { return }
        pingAt = now + Self.nanoseconds(configuration.pingInterval)
        for (_, waiting) in bells {
            for bell in waiting.values where bell.isDue(now) { bell.resolve(nil) }
        }
        let deadline = now + Self.nanoseconds(configuration.commandTimeout)
        for connection in [commands, messages] where connection?.deadline == nil {
            connection?.send(RedisCommand(["PING"]), deadline: deadline) { _ in }
        }
    }

    func heard(_ reply: RedisReply) {
        guard case .list(let parts) = reply, parts.count == 3, let key = parts[2].string else { return }
        for bell in (bells[key] ?? [:]).values { bell.resolve(nil) }
    }

    /// A call that waits for the end of a lease.
    final class Bell: Sendable {
        private let place = OneShot<(any Error)?>()
        /// When the lease ends by itself, in nanoseconds of the loop.
        private let due = Atomic<UInt64>(.max)

        func arm(_ instant: UInt64) { due.store(instant, ordering: .relaxed) }

        func isDue(_ now: UInt64) -> Bool { now >= due.load(ordering: .relaxed) }

        /// Ends the wait: with `nil`, the call asks again.
        func resolve(_ error: (any Error)?) { place.resolve(error) }

        /// Waits.
        ///
        /// - Throws: What ended the connection; `CancellationError`.
        func ring() async throws {
            if let error = await place.wait(onCancel: CancellationError()) { throw error }
        }
    }
}
