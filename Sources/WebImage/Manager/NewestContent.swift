import Synchronization

/// Which content of an address is the newest, among those that are on their way together.
///
/// Flights of one address may overlap: one reads an old file, another is told to reload. Each brings its content at its
/// own pace, and the caches must end with the newest, so a flight that has been overtaken answers its callers and
/// leaves the caches alone. Contents are ordered by the transfer that brought them.
///
/// An address is remembered while content of it is on its way, which a ``Visit`` stands for. Who comes later finds the
/// newest in the caches.
final class NewestContent: Sendable {
    /// From before content is asked for until it is kept: whoever may keep content of an address holds one, taken before
    /// that content had its number, or shares one that was.
    ///
    /// One case is not covered: a request with a name of its own joins a transfer that began before it under another name,
    /// while content of its name came and went. Requests that share a name promise to ask for the same picture.
    final class Visit: Sendable {
        private let newest: NewestContent
        private let key: CacheKey

        init(_ newest: NewestContent, _ key: CacheKey) {
            self.newest = newest
            self.key = key
            newest.entries.withLock { $0[key, default: Entry()].visits += 1 }
        }

        deinit {
            newest.entries.withLock { entries in
                guard var entry = entries.removeValue(forKey: key), entry.visits > 1 else { return }
                entry.visits -= 1
                entries[key] = entry
            }
        }
    }

    fileprivate struct Entry {
        var visits = 0
        var number = 0
    }

    private let entries = Mutex<[CacheKey: Entry]>([:])

    /// How many addresses are remembered. Told to tests.
    var count: Int { entries.withLock { $0.count } }

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
