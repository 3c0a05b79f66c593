// SPDX-License-Identifier: MIT
import Locks

/// Decides which content of an address is the newest, among the loads that overlap.
///
/// Flights of one address may overlap: one reads an old file, another one reloads it. They may end in any order, and
/// the caches must hold the newest content at the end. So a flight whose content has been overtaken answers its callers
/// and does not change the caches. Contents are ordered by the transfer that brought them.
///
/// An address is remembered while a ``Claim`` on it exists. A later load finds the newest content in the caches.
final class ContentOrder: Sendable {
    /// Held from before content is requested until it is stored. Code that may store content of an address holds a
    /// claim that was taken before that content had its number, or shares such a claim.
    ///
    /// One case is not covered: a request with its own cache key joins an earlier transfer of another key, while
    /// content of its key has arrived and its claims have ended. Requests that share a cache key promise to ask for the
    /// same picture.
    final class Claim: Sendable {
        private let order: ContentOrder
        private let key: CacheKey

        init(_ order: ContentOrder, _ key: CacheKey) {
            (self.order, self.key) = (order, key)
            order.entries.withLock { $0[key, default: Newest()].claims += 1 }
        }

        deinit {
            order.entries.withLock { entries in
                guard var entry = entries.removeValue(forKey: key), entry.claims > 1 else { return }
                entry.claims -= 1
                entries[key] = entry
            }
        }
    }

    fileprivate struct Newest {
        var claims = 0
        var number = 0
        /// Of the content with this number, when it is known.
        var generation: ContentGeneration?
    }

    private let entries = Mutex<[CacheKey: Newest]>([:])

    /// The number of addresses remembered. For tests.
    var count: Int { entries.withLock { $0.count } }

    /// Whether no newer content than that of transfer `number` has arrived. From now on, older content is refused.
    func admits(_ number: Int, of key: CacheKey) -> Bool {
        entries.withLock { $0.admit(number, nil, key) }
    }

    /// Runs `store` if the content is admitted, so that nothing newer can come in between. `store` must be quick.
    ///
    /// - Parameter generation: The content that is stored. What was on disk has no number, and is admitted when it is
    ///   the newest content.
    func ifNewest(_ number: Int, _ generation: ContentGeneration?, of key: CacheKey, _ store: () -> Void) {
        entries.withLock { entries in
            if entries.admit(number, generation, key) { store() }
        }
    }
}

extension [CacheKey: ContentOrder.Newest] {
    fileprivate mutating func admit(_ number: Int, _ generation: ContentGeneration?, _ key: CacheKey) -> Bool {
        guard let place = index(forKey: key) else { return true }
        let newest = values[place]
        if number == 0, let generation, generation == newest.generation { return true }
        guard number >= newest.number else { return false }
        if number > newest.number || newest.generation == nil {
            (values[place].number, values[place].generation) = (number, generation)
        }
        return true
    }
}
