// SPDX-License-Identifier: MIT
import Locks

/// The table of a memory cache: an ``S3FIFO`` behind a lock, which each call holds for well under a microsecond.
///
/// Evicted and removed values are released outside the lock, so that no look-up waits while a bitmap is deallocated.
final class MemoryTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Called with the keys of entries that have left, also of those that were replaced, outside the lock.
    typealias Retirement = @Sendable ([Key], MemoryTable) -> Void

    private let entries: Mutex<S3FIFO<Key, Value>>
    private let onRetire: Retirement?

    init(maximumCost: Int, maximumCount: Int, onRetire: Retirement?, now: @escaping @Sendable () -> Duration) {
        self.onRetire = onRetire
        entries = Mutex(
            S3FIFO(
                maximumCost: maximumCost, maximumCount: maximumCount, notesRetiredKeys: onRetire != nil, now: now))
    }

    private func tell(_ keys: [Key]) { if !keys.isEmpty { onRetire?(keys, self) } }

    @inline(__always) func value(for key: Key) -> Value? {
        let (value, retired) = entries.withLock { entries in
            var retired: Value?
            let value = entries.value(for: key, retired: &retired)
            return (value, retired)
        }
        // Only an entry that has passed its deadline leaves here.
        if retired != nil { tell(entries.withLock { $0.takeRetiredKeys() }) }
        return value
    }

    func contains(_ key: Key) -> Bool { entries.withLock { $0.contains(key) } }

    /// - Parameter lifetime: The entry is a miss when this has passed; `nil` for never.
    func store(_ value: Value, for key: Key, cost: Int, lifetime: Duration?) -> Bool {
        let (isStored, keys, retired) = entries.withLock { entries in
            // Durations trap on times that they cannot count; thirty years are long enough.
            let deadline = lifetime.map { entries.now() + min(max($0, .zero), .seconds(1_000_000_000)) }
            var retired: [Value] = []
            let isStored = entries.store(value, for: key, cost: cost, deadline: deadline, retired: &retired)
            return (isStored, entries.takeRetiredKeys(), retired)
        }
        tell(keys)
        _ = consume retired
        return isStored
    }

    func remove(_ key: Key) -> Value? {
        let (value, keys) = entries.withLock { ($0.remove(key), $0.takeRetiredKeys()) }
        tell(keys)
        return value
    }

    /// Removes the values of `keys` that satisfy `condition`, which runs under the lock. Does not count as a use.
    func remove(_ keys: [Key], where condition: (Value) -> Bool) {
        let (removed, retired) = entries.withLock { entries in
            var removed: [Value] = []
            for key in keys {
                guard let value = entries.peek(key), condition(value), entries.remove(key) != nil else { continue }
                removed.append(value)
            }
            return (removed, entries.takeRetiredKeys())
        }
        tell(retired)
        _ = consume removed
    }

    var statistics: MemoryCache<Key, Value>.Statistics {
        entries.withLock { entries in
            MemoryCache<Key, Value>.Statistics(
                hits: entries.hitCount, misses: entries.missCount, evictions: entries.evictionCount,
                cost: entries.totalCost, count: entries.count)
        }
    }

    // MARK: - Sweeps

    /// Entries evicted in one hold of the lock. A look-up waits for about ten microseconds.
    private static var sliceLength: Int { 64 }

    /// Evicts the entries least worth keeping until at most `cost` and `count` are held.
    ///
    /// - Parameter setsLimits: Whether these are the limits from now on. The limits fall with each slice: under the
    ///   final limits a store between two slices would evict all the rest in one hold of the lock.
    /// - Complexity: O(number of entries evicted), in slices between which look-ups continue.
    func sweep(toCost cost: Int, count: Int, setsLimits: Bool) {
        var isDone = false
        while !isDone {
            let (keys, retired) = entries.withLock { entries in
                var retired: [Value] = []
                while retired.count < Self.sliceLength, entries.totalCost > cost || entries.count > count {
                    entries.evictOne(retired: &retired)
                }
                if setsLimits {
                    entries.setLimits(cost: max(cost, entries.totalCost), count: max(count, entries.count))
                }
                return (entries.takeRetiredKeys(), retired)
            }
            tell(keys)
            isDone = retired.count < Self.sliceLength
            _ = consume retired
        }
    }

    /// Removes every entry, and keeps the limits and the statistics.
    func removeAll() {
        let emptied = entries.withLock { entries in
            var successor = S3FIFO<Key, Value>(
                maximumCost: entries.maximumCost, maximumCount: entries.maximumCount,
                notesRetiredKeys: onRetire != nil, now: entries.now)
            successor.hitCount = entries.hitCount
            successor.missCount = entries.missCount
            successor.evictionCount = entries.evictionCount
            swap(&entries, &successor)
            return successor
        }
        tell(Array(emptied.slotNumbers.keys))
    }
}
