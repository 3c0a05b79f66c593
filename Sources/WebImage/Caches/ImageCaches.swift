// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// A memory cache and a store of entries, used as one: where a manager keeps its pictures.
///
/// A manager makes its own from its configuration. A program makes one to share it between managers, to use a store of
/// its own, or to keep the pictures of one tenant apart, with ``ImageRequest/caches``.
///
/// A cache that a program makes is ended by the program, with ``shutdown(within:)``. A manager ends only its own.
public final class ImageCaches: Sendable {
    let memory: MemoryCache<MemoryKey, CachedPicture>
    let disk: (any CacheStoring)?
    /// The store on the way to the disk that shares its entries with other machines.
    let sharing: (any EntryLeasing)?
    /// `nil` without a disk.
    let writes: WriteBehind?
    let variants: VariantIndex
    /// What else gives memory back when the memory cache does.
    let relay = PressureRelay()

    /// Creates a pair of caches.
    ///
    /// - Parameters:
    ///   - memory: The limits of the memory cache.
    ///   - watch: How the memory cache learns that memory is short. Once a second by default; `nil` for never.
    ///   - disk: Keeps entries: a ``DiskCache``, or another store. `nil` for none.
    public convenience init(
        memory: MemoryLimits = MemoryLimits(), watch: MemoryWatch? = MemoryWatch(), disk: (any CacheStoring)? = nil
    ) {
        self.init(memory: memory, watch: watch, disk: disk, executor: nil)
    }

    init(
        memory limits: MemoryLimits, watch: MemoryWatch? = nil, disk: (any CacheStoring)?,
        executor: (any TaskExecutor)?, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        writeLimit: Int = MemoryBudget.defaultMaximumWriteByteCount,
        onWarning: @escaping @Sendable (CacheError) -> Void = { _ in },
        onDrop: @escaping @Sendable (CacheKey) -> Void = { _ in }
    ) {
        let variants = VariantIndex()
        var watch = watch
        if let onChange = watch?.onChange {
            watch?.onChange = { [relay] pressure in
                relay.tell(pressure)
                onChange(pressure)
            }
        }
        memory = MemoryCache(
            limits, watch: watch, executor: executor, now: clock,
            onRetire: { keys, table in variants.remove(keys) { table.contains($0) } })
        self.variants = variants
        self.disk = disk
        sharing = disk?.first((any EntryLeasing).self)
        writes = disk.map {
            WriteBehind($0, executor: executor, byteLimit: writeLimit, onDrop: onDrop, onWarning: onWarning)
        }
    }

    /// Where originals are kept: on disk, if there is one.
    var originalTier: CacheTiers { disk == nil ? .memory : .disk }

    /// The keys under which memory may hold an original, and what is made of it.
    func views(of original: CacheKey) -> [MemoryKey] {
        [.picture(original), .file(original)] + variants.names(of: original)
    }

    /// Whether the disk has an entry, also one that was still to be written.
    func storesEntry(_ name: CacheKey) async throws -> Bool {
        await writes?.settle(name)
        return try await disk?.contains(name) ?? false
    }

    /// Waits until everything that was handed over for the disk is written, or refused.
    public func flush() async { await writes?.flush() }

    /// Empties the memory cache and ends its watch.
    func endMemory() async {
        await memory.stopWatching()
        await memory.removeAll()
    }

    /// Writes what is pending, at most for the grace time, empties the memory cache and shuts the store down.
    ///
    /// - Parameter grace: How long pending writes may take.
    /// - Returns: The report of the store, whose abandoned operations are also those of writes that have not returned;
    ///   `nil` without a store.
    @discardableResult
    public func shutdown(within grace: Duration) async -> CacheShutdownReport? {
        let deadline = Deadline(after: grace, on: ContinuousClock(), executor: nil)
        await writes?.close()
        if await !deadline.outlasts({ await self.flush() }) { await writes?.abandon() }
        await endMemory()
        var report = await disk?.shutdown(within: deadline.remaining)
        // The end of the store ends the writes that were abandoned.
        let last = Deadline(after: ImageManager.unwindingTime, on: ContinuousClock(), executor: nil)
        if await !last.outlasts({ await self.writes?.writersEnd() }) { report?.abandonedOperations += 1 }
        return report
    }
}

/// The names of the variants and files that memory holds, by original, so that they go when their original changes.
///
/// A name comes after its entry, and goes after it; both look whether the entry is there. So the size of the index is
/// that of the memory cache.
final class VariantIndex: Sendable {
    /// By the hash of the original's name. Originals of one hash would lose their views together, which costs a load.
    private let names = Mutex<[Int: Set<MemoryKey>]>([:])

    /// The bytes of a name: a place in the table, and a set of one.
    static let overhead = 32 + HeapSize.allocation(64 + 2 * MemoryLayout<MemoryKey>.stride)

    /// The number of names; an original without any counts as one.
    var count: Int { names.withLock { $0.values.reduce(0) { $0 + max(1, $1.count) } } }

    /// Adds the name of an entry that has been stored.
    ///
    /// - Parameter isHeld: Whether memory holds the entry still. Called under the lock.
    /// - Complexity: O(1).
    func insert(_ key: MemoryKey, of original: CacheKey, isHeld: () -> Bool) {
        names.withLock { if isHeld() { $0[original.hash, default: []].insert(key) } }
    }

    /// The names of the variants and files made of an original.
    func names(of original: CacheKey) -> Set<MemoryKey> { names.withLock { $0[original.hash] ?? [] } }

    /// Removes the names of entries that have left.
    ///
    /// - Parameter isHeld: Whether memory holds the entry again. Called under the lock.
    /// - Complexity: O(number of keys).
    func remove(_ keys: [MemoryKey], isHeld: (MemoryKey) -> Bool) {
        for key in keys where !key.name.isOriginal {
            let original = key.name.originalHash
            names.withLock { names in
                guard !isHeld(key), names[original]?.remove(key) != nil, names[original]?.isEmpty == true else {
                    return
                }
                names[original] = nil
            }
        }
    }
}

/// The listeners for memory pressure beside the memory cache.
final class PressureRelay: Sendable {
    private let listeners = Mutex<[@Sendable (MemoryPressure) -> Bool]>([])

    /// Adds a listener, which returns `false` when it is gone. It is called under the lock.
    func add(_ listener: @escaping @Sendable (MemoryPressure) -> Bool) { listeners.withLock { $0.append(listener) } }

    func tell(_ pressure: MemoryPressure) { listeners.withLock { $0.removeAll { !$0(pressure) } } }
}
