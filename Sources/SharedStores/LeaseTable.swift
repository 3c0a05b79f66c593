// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination
import WebImage

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

    private enum Entry {
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

    private let entries = Mutex<[CacheKey: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    func enter(_ key: CacheKey) -> Place {
        entries.withLock { entries in
            switch entries[key] {
            case nil:
                entries[key] = .asking([])
                return .asks
            case .asking(var places):
                let place = OneShot<Word>()
                places.append(place)
                entries[key] = .asking(places)
                return .waits(place)
            case .held: return .isLed
            }
        }
    }

    /// Ends the asking without a lease.
    func leave(_ key: CacheKey, _ word: Word) {
        let places = entries.withLock { entries -> [OneShot<Word>] in
            guard case .asking(let places)? = entries[key] else { return [] }
            entries[key] = nil
            return places
        }
        for place in places { place.resolve(word) }
    }

    /// Ends the asking with a lease.
    func enter(_ hold: LeaseHold) {
        let places = entries.withLock { entries -> [OneShot<Word>] in
            let earlier = entries.updateValue(.held(hold.lease, hold: WeakHold(hold: hold)), forKey: hold.key)
            guard case .asking(let places)? = earlier else { return [] }
            return places
        }
        for place in places { place.resolve(.goOn) }
    }

    func isLed(_ key: CacheKey) -> Bool {
        entries.withLock { if case .held? = $0[key] { true } else { false } }
    }

    /// What the load that has the lease holds, while it does.
    func hold(of key: CacheKey) -> LeaseHold? {
        entries.withLock { if case .held(_, let weak)? = $0[key] { weak.hold } else { nil } }
    }

    /// Takes a lease out, to end it.
    ///
    /// - Parameter token: The lease; `nil` for whichever is held.
    func take(_ key: CacheKey, token: Int64? = nil) -> SharedLease? {
        entries.withLock { entries in
            guard case .held(let lease, _)? = entries[key], token == nil || lease.token == token else { return nil }
            entries[key] = nil
            return lease
        }
    }

    /// Takes all leases out.
    func takeAll() -> [SharedLease] {
        entries.withLock { entries in
            let leases = entries.compactMap { (key, entry) -> (CacheKey, SharedLease)? in
                if case .held(let lease, _) = entry { (key, lease) } else { nil }
            }
            for (key, _) in leases { entries[key] = nil }
            return leases.map(\.1)
        }
    }
}

/// The lease of a load. When the last reference goes before the entry is made, the lease ends, and the processes that
/// wait work for themselves.
///
/// The load holds it, and so does the write that makes the entry, which may be dropped.
final class LeaseHold: EntryLease {
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
    package func handOver() { isHandedOver.store(true, ordering: .releasing) }

    /// Ends the lease of a load that has thrown.
    package func fail(_ error: any Error, isCancelled: Bool, isLasting: Bool) {
        guard !isCancelled, let failure = SharedFailure(error) else {
            return cache.end(key, token: lease.token, with: .released)
        }
        cache.end(key, token: lease.token, with: .failed(failure, isLasting: isLasting))
    }
}
