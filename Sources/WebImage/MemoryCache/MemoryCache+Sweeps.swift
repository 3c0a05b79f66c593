internal import Synchronization

extension MemoryCache {
    /// Entries evicted in one hold of the lock: some ten microseconds for whoever waits for it.
    private static var sliceLength: Int { 64 }

    /// Evicts the entries least worth keeping until at most `cost` bytes are held.
    ///
    /// - Complexity: O(number of entries evicted), in slices between which lookups go on.
    public func trim(toCost cost: Int) {
        sweep { $0.totalCost > max(0, cost) }
    }

    /// Forgets every entry.
    ///
    /// - Complexity: O(1) under the lock; the values are released outside it.
    public func removeAll() {
        let emptied = table.withLock { table in
            var successor = S3FIFO<Key, Value>(costLimit: table.costLimit, countLimit: table.countLimit)
            successor.hitCount = table.hitCount
            successor.missCount = table.missCount
            successor.evictionCount = table.evictionCount
            swap(&table, &successor)
            return successor
        }
        _ = consume emptied
    }

    /// Changes the limits, and evicts what is above them.
    ///
    /// - Parameters:
    ///   - costLimit: In bytes; values below 1 count as 1.
    ///   - countLimit: In entries; values below 1 count as 1.
    public func updateLimits(costLimit: Int, countLimit: Int) {
        table.withLock { $0.setLimits(cost: costLimit, count: countLimit) }
        sweep { $0.isOverLimit }
    }

    private func sweep(while isNeeded: @Sendable (borrowing S3FIFO<Key, Value>) -> Bool) {
        var isDone = false
        while !isDone {
            let (isLast, retired) = table.withLock { table in
                var retired: [Value] = []
                while isNeeded(table) {
                    guard table.count > 0 else { return (true, retired) }
                    table.evictOne(retired: &retired)
                    if retired.count >= Self.sliceLength { return (false, retired) }
                }
                return (true, retired)
            }
            isDone = isLast
            _ = consume retired
        }
    }
}
