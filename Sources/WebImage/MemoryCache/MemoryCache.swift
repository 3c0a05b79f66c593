// SPDX-License-Identifier: MIT
/// Values kept in memory, bounded by cost and count. Values in use are kept longest.
///
/// **Isolation**: the actor owns the limits, the level of memory pressure, and the room that the last sample has found.
/// Look-ups, stores, removals and ``statistics`` are `nonisolated`: a hit takes 0.1 µs, a hop to an actor 15 to 46 µs.
///
/// The values are in a table with its own lock. A call holds the lock for well under a microsecond, and a sweep takes
/// it in short slices, so a view has its picture in the same turn. Evicted values are released outside the lock.
///
/// S3-FIFO with promotion after one hit decides which values are kept: a scan over many pictures does not evict the
/// ones in use, and at the same size more requests hit than with a least-recently-used order.
///
/// A cache needs no shutdown: it owns no thread and no file, and its one task, the watch for memory pressure, ends with
/// its last reference. ``removeAll()`` gives the memory back earlier. The shutdown of a manager empties its cache.
///
/// `Key`'s `hash(into:)` and `==` run under the lock and must not use the cache.
public actor MemoryCache<Key: Hashable & Sendable, Value: Sendable> {
    nonisolated let table: MemoryTable<Key, Value>
    nonisolated let watcher: MemoryWatcher?
    var isWatchStopped = false
    /// What the samples say.
    var gauge = PressureGauge()
    /// What the last sample leaves room for, in bytes.
    var growthLimit = Int.max
    /// The limits that apply while there is no memory pressure.
    public private(set) var limits: Configuration
    /// The last reported level of memory pressure.
    public private(set) var pressure = MemoryPressure.normal

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - configuration: The limits.
    ///   - watch: How the cache learns that memory is short. `nil`, the default, for a cache that is told so by
    ///     ``respond(to:)`` alone.
    ///   - now: The time by which entries with a lifetime end. Called under the lock; must not use the cache.
    public init(
        _ configuration: Configuration = .init(), watch: MemoryWatch? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.init(configuration, watch: watch, executor: nil, now: now)
    }

    /// - Parameters:
    ///   - executor: Where samples are taken; `nil` for the global pool.
    ///   - onRetire: See ``MemoryTable``.
    init(
        _ configuration: Configuration, watch: MemoryWatch?, executor: (any TaskExecutor)?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        onRetire: MemoryTable<Key, Value>.Retirement? = nil
    ) {
        limits = configuration
        let (cost, count) = configuration.effective(under: .normal)
        // The table counts from here: a duration has a fixed layout, and an instant has not.
        let start = now()
        table = MemoryTable(
            maximumCost: cost, maximumCount: count, age: configuration.age, onRetire: onRetire,
            now: { start.duration(to: now()) })
        watcher = watch.map { MemoryWatcher($0, executor: executor) }
    }

    /// The value stored for `key`, counted as a use; `nil` when there is none.
    ///
    /// - Complexity: O(1).
    public nonisolated func value(for key: Key) -> Value? { table.value(for: key) }

    /// Whether a value is stored for `key`.
    ///
    /// Does not count as a use, a hit or a miss.
    ///
    /// - Complexity: O(1).
    public nonisolated func contains(_ key: Key) -> Bool { table.contains(key) }

    /// Stores `value` for `key` in place of an earlier one, evicting others to make room.
    ///
    /// A value above an eighth of the cost limit only takes the room of values that are not in use. When values in use
    /// leave no room, it is not stored, but its key is remembered. When it is stored again soon, it takes their place.
    /// A value above half of the limit takes only the place of values that were not used since it was stored last, and
    /// at most an eighth of the limit each time.
    ///
    /// - Parameters:
    ///   - value: What a look-up finds.
    ///   - key: What it is found under.
    ///   - cost: What the value occupies, in bytes.
    ///   - age: From its end on the value is a miss, and a look-up or the next sample of memory removes it. `nil` for
    ///     as ``MemoryLimits/age`` says.
    /// - Returns: `false` when the value is not stored, because its cost is negative or above the cost limit, or
    ///   because it is large and new among values in use. An earlier value for `key` is removed as well, because it is
    ///   outdated.
    /// - Complexity: O(1) amortised over the entries it evicts.
    @discardableResult
    public nonisolated func store(_ value: Value, for key: Key, cost: Int, age: CacheAge? = nil) -> Bool {
        let isStored = table.store(value, for: key, cost: cost, age: age, keepsEnd: false)
        if isStored, let watcher { startWatching(watcher) }
        return isStored
    }

    /// Stores `value` in place of an earlier one that says the same otherwise, and ends when that would have.
    nonisolated func replace(_ value: Value, for key: Key, cost: Int) {
        _ = table.store(value, for: key, cost: cost, age: nil, keepsEnd: true)
    }

    /// Removes the entries that are past their end. The watch for memory pressure does it with each sample.
    ///
    /// - Complexity: O(number of entries), in slices between which look-ups continue.
    public func removeExpired() { table.removeExpired() }

    /// Removes the value stored for `key` and returns it.
    ///
    /// - Complexity: O(1).
    @discardableResult
    public nonisolated func remove(_ key: Key) -> Value? { table.remove(key) }

    /// Removes the values stored for `keys` that satisfy `condition`, which runs under the lock.
    nonisolated func remove(_ keys: [Key], where condition: (Value) -> Bool) { table.remove(keys, where: condition) }

    /// The contents and the counters of the cache since its creation.
    public nonisolated var statistics: Statistics { table.statistics }

    /// Evicts the entries least worth keeping until at most `cost` bytes are held.
    ///
    /// - Complexity: O(number of entries evicted), in slices between which look-ups continue.
    public func trim(toCost cost: Int) { table.sweep(toCost: max(0, cost), count: .max, setsLimits: false) }

    /// Removes every entry.
    ///
    /// - Complexity: O(1) under the lock; the values are released outside it.
    public func removeAll() { table.removeAll() }

    /// Changes the limits, and evicts entries until the new ones are met. Under memory pressure the share of the new
    /// limit applies.
    ///
    /// - Parameters:
    ///   - maximumCost: In bytes; 0, and less, stand for no limit.
    ///   - maximumCount: In entries; 0, and less, stand for no limit.
    public func updateLimits(maximumCost: Int, maximumCount: Int) {
        updateLimits(Configuration(maximumCost: maximumCost, maximumCount: maximumCount, age: limits.age))
    }

    /// Changes the limits. The age counts for what is stored from then on.
    public func updateLimits(_ limits: Configuration) {
        self.limits = limits
        table.setAge(limits.age)
        applyLimits()
    }

    /// Gives memory back while memory is short.
    ///
    /// Until the pressure changes, the cost limit is half of its own under ``MemoryPressure/warning`` and an eighth
    /// under ``MemoryPressure/critical``; entries above it are evicted at once. Under ``MemoryPressure/normal`` the
    /// cache may grow to its own limit again. A second call with the same level does nothing.
    ///
    /// - Complexity: That of ``trim(toCost:)``.
    public func respond(to pressure: MemoryPressure) {
        guard pressure != self.pressure else { return }
        self.pressure = pressure
        applyLimits()
    }

    /// Evicts entries until half of the bytes are left.
    func sweepHalf() { table.sweep(toCost: statistics.cost / 2, count: .max, setsLimits: false) }

    /// Evicts entries until the cache is within its limits, those that memory sets it included.
    func applyLimits() {
        let (cost, count) = limits.effective(under: pressure)
        table.sweep(toCost: min(cost, growthLimit), count: count, setsLimits: true)
    }
}
