import Synchronization

/// Which content of an address is the newest, among those that are on their way together.
///
/// Flights of one address may overlap: one reads an old file, another is told to reload. Each brings its content at its
/// own pace, and the caches must end with the newest. So a flight that has been overtaken answers its callers and leaves
/// the caches alone. Contents are ordered by the transfer that brought them.
///
/// An address is remembered while content of it is on its way, which a ``Claim`` stands for. A load that comes later finds
/// the newest in the caches.
final class ContentOrder: Sendable {
    /// Held from before content is asked for until it is kept. Code that may keep content of an address holds one, taken
    /// before that content had its number, or shares one that was.
    ///
    /// One case is not covered: a request with a name of its own joins a transfer that began before it under another name,
    /// while content of its name came and went. Requests that share a name promise to ask for the same picture.
    final class Claim: Sendable {
        private let order: ContentOrder
        private let key: CacheKey

        init(_ order: ContentOrder, _ key: CacheKey) {
            self.order = order
            self.key = key
            order.entries.withLock { $0[key, default: Entry()].claims += 1 }
        }

        deinit {
            order.entries.withLock { entries in
                guard var entry = entries.removeValue(forKey: key), entry.claims > 1 else { return }
                entry.claims -= 1
                entries[key] = entry
            }
        }
    }

    fileprivate struct Entry {
        var claims = 0
        var number = 0
    }

    private let entries = Mutex<[CacheKey: Entry]>([:])

    /// How many addresses are remembered. Told to tests.
    var count: Int { entries.withLock { $0.count } }

    /// Whether no newer content than that of transfer `number` has come. From here on, older content is refused.
    func admits(_ number: Int, of key: CacheKey) -> Bool {
        entries.withLock { $0.admit(number, key) }
    }

    /// Runs `store` if the content is admitted, so that nothing newer can come in between. `store` must be quick.
    func ifNewest(_ number: Int, of key: CacheKey, _ store: () -> Void) {
        entries.withLock { entries in
            if entries.admit(number, key) { store() }
        }
    }
}

extension [CacheKey: ContentOrder.Entry] {
    fileprivate mutating func admit(_ number: Int, _ key: CacheKey) -> Bool {
        guard let entry = self[key] else { return true }
        guard number >= entry.number else { return false }
        self[key]?.number = number
        return true
    }
}
