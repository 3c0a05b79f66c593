internal import Synchronization

/// Values kept in memory, bounded by cost and count, with what is in use kept longest.
///
/// Lookups and stores are synchronous and callable from anywhere: the table stands behind a lock of its own that is
/// held for well under a microsecond, so a view has its picture in the same turn. Sweeps and changes of limits belong
/// to the actor and take the lock in short slices. Evicted values are released after the lock is given back, however
/// large they are.
///
/// What stays is decided by S3-FIFO with promotion after one hit: a scan over many pictures does not push out those in
/// use, and at the same size more requests hit than with a least-recently-used order.
///
/// A cache has no end to wait for: no task, no thread and no file belongs to it. It goes with its last reference, and
/// ``removeAll()`` gives the memory back before. The cache of a manager is emptied when the manager is shut down.
///
/// `Key`'s `hash(into:)` and `==` run under the lock and must not use the cache.
public actor MemoryCache<Key: Hashable & Sendable, Value: Sendable> {
    nonisolated let table: Mutex<S3FIFO<Key, Value>>

    /// An empty cache.
    public init(_ configuration: Configuration = .init()) {
        table = Mutex(S3FIFO(costLimit: configuration.costLimit, countLimit: configuration.countLimit))
    }

    /// The value stored for `key`, counted as a use; `nil` when there is none.
    ///
    /// - Complexity: O(1).
    public nonisolated func value(for key: Key) -> Value? {
        table.withLock { $0.value(for: key) }
    }

    /// Whether a value is stored for `key`.
    ///
    /// Does not count as a use, a hit or a miss.
    ///
    /// - Complexity: O(1).
    public nonisolated func contains(_ key: Key) -> Bool {
        table.withLock { $0.contains(key) }
    }

    /// Stores `value` for `key` in place of an earlier one, evicting others to make room.
    ///
    /// - Parameter cost: What the value occupies, in bytes.
    /// - Returns: `false` when the cost is negative or above an eighth of the cost limit. Then nothing is stored for
    ///   `key`, not even what was there: a value newer than it is known to exist.
    /// - Complexity: O(1) amortised over the entries it evicts.
    @discardableResult
    public nonisolated func store(_ value: Value, for key: Key, cost: Int) -> Bool {
        // Returned out of the lock so that a bitmap is given back to the allocator while nobody waits.
        let (isStored, retired) = table.withLock { table in
            var retired: [Value] = []
            let isStored = table.store(value, for: key, cost: cost, retired: &retired)
            return (isStored, retired)
        }
        _ = consume retired
        return isStored
    }

    /// Forgets the value stored for `key` and returns it.
    ///
    /// - Complexity: O(1).
    @discardableResult
    public nonisolated func remove(_ key: Key) -> Value? {
        table.withLock { $0.remove(key) }
    }

    /// What the cache holds and has done since it was made.
    public nonisolated var statistics: Statistics {
        table.withLock { table in
            Statistics(
                hits: table.hitCount, misses: table.missCount, evictions: table.evictionCount,
                cost: table.totalCost, count: table.count)
        }
    }
}
