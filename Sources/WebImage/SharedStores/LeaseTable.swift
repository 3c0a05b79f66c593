// SPDX-License-Identifier: MIT
import Synchronization
import TaskCoordination

/// The leases of this process: asked for, or held.
///
/// Loads of one process that need one entry ask for it once. A second load hears the answer to the first, and joins its
/// work in the flights of the process.
final class LeaseTable: Sendable {
    /// What a load that did not ask itself hears.
    enum Word: Sendable {
        /// The entry is there, or is made in this process, or nothing is known. The load goes on.
        case goOn
        case failed(SharedFailure)
        /// The load that asked has left. Another asks.
        case askAgain
    }

    private enum Seat {
        case asking([OneShot<Word>])
        case held(SharedLease, hold: WeakHold)
    }

    private struct WeakHold {
        weak let hold: LeaseHold?
    }

    enum Place {
        /// This load asks, and calls ``leave(_:_:)`` or ``hold(_:_:)``.
        case asks
        case waits(OneShot<Word>)
        /// This process holds the lease.
        case isLed
    }

    private let seats = Mutex<[CacheKey: Seat]>([:])

    var count: Int { seats.withLock { $0.count } }

    func enter(_ key: CacheKey) -> Place {
        seats.withLock { seats in
            switch seats[key] {
            case nil:
                seats[key] = .asking([])
                return .asks
            case .asking(var places):
                let place = OneShot<Word>()
                places.append(place)
                seats[key] = .asking(places)
                return .waits(place)
            case .held: return .isLed
            }
        }
    }

    /// Ends the asking without a lease.
    func leave(_ key: CacheKey, _ word: Word) {
        let places = seats.withLock { seats -> [OneShot<Word>] in
            guard case .asking(let places)? = seats[key] else { return [] }
            seats[key] = nil
            return places
        }
        for place in places { place.resolve(word) }
    }

    /// Ends the asking with a lease.
    func enter(_ hold: LeaseHold) {
        let places = seats.withLock { seats -> [OneShot<Word>] in
            let earlier = seats.updateValue(.held(hold.lease, hold: WeakHold(hold: hold)), forKey: hold.key)
            guard case .asking(let places)? = earlier else { return [] }
            return places
        }
        for place in places { place.resolve(.goOn) }
    }

    func isLed(_ key: CacheKey) -> Bool {
        seats.withLock { if case .held? = $0[key] { true } else { false } }
    }

    /// What the load that has the lease holds, while it does.
    func hold(of key: CacheKey) -> LeaseHold? {
        seats.withLock { if case .held(_, let weak)? = $0[key] { weak.hold } else { nil } }
    }

    /// Takes a lease out, to end it.
    ///
    /// - Parameter token: The lease; `nil` for whichever is held.
    func take(_ key: CacheKey, token: Int64? = nil) -> SharedLease? {
        seats.withLock { seats in
            guard case .held(let lease, _)? = seats[key], token == nil || lease.token == token else { return nil }
            seats[key] = nil
            return lease
        }
    }

    /// Takes all leases out.
    func takeAll() -> [SharedLease] {
        seats.withLock { seats in
            let leases = seats.compactMap { (key, seat) -> (CacheKey, SharedLease)? in
                if case .held(let lease, _) = seat { (key, lease) } else { nil }
            }
            for (key, _) in leases { seats[key] = nil }
            return leases.map(\.1)
        }
    }
}

/// The lease of a load. When the last reference goes before the entry is made, the lease ends, and the processes that
/// wait work for themselves.
///
/// The load holds it, and so does the write that makes the entry, which may be dropped.
final class LeaseHold: Sendable {
    let key: CacheKey
    let lease: SharedLease
    private let cache: SharedCache
    private let isHandedOver = Atomic<Bool>(false)

    init(_ key: CacheKey, _ lease: SharedLease, in cache: SharedCache) {
        (self.key, self.lease, self.cache) = (key, lease, cache)
    }

    deinit {
        if !isHandedOver.load(ordering: .acquiring) { cache.end(key, token: lease.token, with: .alone) }
    }

    /// The entry is made. Storing it ends the lease.
    func handOver() { isHandedOver.store(true, ordering: .releasing) }

    /// Ends the lease of a load that has thrown.
    func fail(_ error: any Error, isCancelled: Bool, isLasting: Bool) {
        guard !isCancelled, let failure = SharedFailure(error) else {
            return cache.end(key, token: lease.token, with: .released)
        }
        cache.end(key, token: lease.token, with: .failed(failure, isLasting: isLasting))
    }
}
