import Synchronization

/// Which content of an address is the newest, among the loads of it that are under way together.
///
/// Flights of one address may overlap: one reads an old file, another is told to reload. Each brings its content at its
/// own pace, and the caches must end with the newest, so a flight that has been overtaken answers its callers and
/// leaves the caches alone. Contents are ordered by the transfer that brought them.
///
/// An address is remembered while a flight of it is under way. A flight that starts later finds the newest in the caches.
final class NewestContent: Sendable {
    fileprivate struct Entry {
        var flights = 0
        var number = 0
    }

    private let entries = Mutex<[CacheKey: Entry]>([:])

    /// A flight has begun; `leave(_:)` must follow.
    func enter(_ key: CacheKey) {
        entries.withLock { $0[key, default: Entry()].flights += 1 }
    }

    /// A flight is over.
    func leave(_ key: CacheKey) {
        entries.withLock { entries in
            guard var entry = entries.removeValue(forKey: key), entry.flights > 1 else { return }
            entry.flights -= 1
            entries[key] = entry
        }
    }

    /// Whether nothing newer than the content of transfer `number` has come. What is older has had its time then.
    func isCurrent(_ number: Int, of key: CacheKey) -> Bool {
        entries.withLock { $0.take(number, key) }
    }

    /// Runs `store` if the content is current, so that nothing newer can come in between. `store` must be quick.
    func ifCurrent(_ number: Int, of key: CacheKey, _ store: () -> Void) {
        entries.withLock { entries in
            if entries.take(number, key) { store() }
        }
    }
}

extension [CacheKey: NewestContent.Entry] {
    fileprivate mutating func take(_ number: Int, _ key: CacheKey) -> Bool {
        guard let entry = self[key] else { return true }
        guard number >= entry.number else { return false }
        self[key]?.number = number
        return true
    }
}
