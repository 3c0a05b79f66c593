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

    init(
        maximumCost: Int, maximumCount: Int, age: CacheAge, onRetire: Retirement?,
        now: @escaping @Sendable () -> Duration
    ) {
        self.onRetire = onRetire
        var table = S3FIFO<Key, Value>(
            maximumCost: maximumCost, maximumCount: maximumCount, notesRetiredKeys: onRetire != nil, now: now)
        table.age = age
        entries = Mutex(table)
    }

    private func tell(_ keys: [Key]) { if !keys.isEmpty { onRetire?(keys, self) } }

    /// Changes the entries, and then tells which have left, and releases their values.
    ///
    /// - Parameter body: Hands over the values of the entries that leave.
    @inline(__always) private func change<Outcome: Sendable>(
        _ body: (inout S3FIFO<Key, Value>, inout [Value]) -> Outcome
    ) -> Outcome {
        let (outcome, keys, retired) = entries.withLock { entries in
            var retired: [Value] = []
            let outcome = body(&entries, &retired)
            return (outcome, entries.takeRetiredKeys(), retired)
        }
        tell(keys)
        _ = consume retired
        return outcome
    }

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

    /// The age of entries that are stored without one.
    func setAge(_ age: CacheAge) { entries.withLock { $0.age = age } }

    /// Stores a value; see ``S3FIFO``.
    func store(_ value: Value, for key: Key, cost: Int, age: CacheAge?, keepsEnd: Bool) -> Bool {
        change { entries, retired in
            entries.store(value, for: key, cost: cost, age: age, keepsEnd: keepsEnd, retired: &retired)
        }
    }

    func remove(_ key: Key) -> Value? { change { entries, _ in entries.remove(key) } }

    /// Removes the values of `keys` that satisfy `condition`, which runs under the lock. Does not count as a use.
    func remove(_ keys: [Key], where condition: (Value) -> Bool) {
        change { entries, retired in
            for key in keys {
                guard let value = entries.peek(key), condition(value), entries.remove(key) != nil else { continue }
                retired.append(value)
            }
        }
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
            isDone = change { entries, retired in
                while retired.count < Self.sliceLength, entries.totalCost > cost || entries.count > count {
                    entries.evictOne(retired: &retired)
                }
                if setsLimits {
                    entries.setLimits(cost: max(cost, entries.totalCost), count: max(count, entries.count))
                }
                return retired.count < Self.sliceLength
            }
        }
    }

    /// Removes the entries that are past their end.
    ///
    /// - Complexity: O(number of entries), in slices between which look-ups continue; O(1) when none has had an end.
    func removeExpired() {
        let count = entries.withLock { $0.hasDeadlines ? $0.slots.count : 0 }
        for first in stride(from: 0, to: count, by: 256) {
            change { entries, retired in entries.removeExpired(first..<first + 256, retired: &retired) }
        }
    }

    /// Removes every entry, and keeps the limits and the statistics.
    func removeAll() {
        let emptied = entries.withLock { entries in
            var successor = S3FIFO<Key, Value>(
                maximumCost: entries.maximumCost, maximumCount: entries.maximumCount,
                notesRetiredKeys: onRetire != nil, now: entries.now)
            successor.age = entries.age
            successor.hitCount = entries.hitCount
            successor.missCount = entries.missCount
            successor.evictionCount = entries.evictionCount
            swap(&entries, &successor)
            return successor
        }
        tell(Array(emptied.slotNumbers.keys))
    }
}
