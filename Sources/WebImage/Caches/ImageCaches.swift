// SPDX-License-Identifier: MIT
import Synchronization

/// A memory cache and a store of entries, used as one: where a manager keeps its pictures.
///
/// A manager makes its own from its configuration. A program makes one to share it between managers, to use a store of
/// its own, or to keep the pictures of one tenant apart, with ``ImageRequest/caches``.
///
/// A cache that a program makes is ended by the program, with ``shutdown(within:)``. A manager ends only its own.
public final class ImageCaches: Sendable {
    let memory: MemoryCache<MemoryKey, CachedPicture>
    /// Read without the cache: its watch refers to the cache weakly, which makes each other reference dearer.
    private let table: MemoryTable<MemoryKey, CachedPicture>
    let disk: (any CacheStoring)?
    /// The disk, when it shares its entries with other machines.
    let sharing: SharedCache?
    /// `nil` without a disk.
    let writes: WriteBehind?
    let variants: VariantIndex

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
        executor: (any TaskExecutor)?, writeLimit: Int = MemoryBudget.defaultMaximumWriteByteCount,
        onWarning: @escaping @Sendable (CacheError) -> Void = { _ in },
        onDrop: @escaping @Sendable (CacheKey) -> Void = { _ in }
    ) {
        memory = MemoryCache(limits, watch: watch, executor: executor)
        table = memory.table
        self.disk = disk
        sharing = disk as? SharedCache
        writes = disk.map {
            WriteBehind($0, executor: executor, byteLimit: writeLimit, onDrop: onDrop, onWarning: onWarning)
        }
        variants = VariantIndex()
    }

    /// Where originals are kept: on disk, if there is one.
    var originalTier: CacheTiers { disk == nil ? .memory : .disk }

    /// The entry that memory holds, counted as a use.
    func held(_ key: MemoryKey) -> CachedPicture? { table.value(for: key) }

    /// The keys under which memory may hold an original, and what is made of it.
    func views(of original: CacheKey) -> [MemoryKey] {
        [.picture(original), .file(original)] + variants.names(of: original)
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

/// The names of the variants and files that memory may hold, by original, so that they go when their original changes.
///
/// Advisory: a name may stand for an entry that was evicted. When such names outnumber the entries, the index is
/// cleared of them, so its size follows that of the memory cache.
final class VariantIndex: Sendable {
    private struct State {
        var names: [CacheKey: Set<MemoryKey>] = [:]
        var count = 0
        /// The index is cleared of evicted entries when `count` reaches this number.
        var limit = 256
    }

    private let state = Mutex(State())

    /// The number of names.
    var count: Int { state.withLock { $0.count } }

    /// Adds the name of an entry.
    ///
    /// - Parameter isHeld: Whether memory holds an entry; asked for each name when the index has grown.
    /// - Complexity: O(1) amortised.
    func insert(_ key: MemoryKey, of original: CacheKey, isHeld: (MemoryKey) -> Bool) {
        state.withLock { state in
            if state.names[original, default: []].insert(key).inserted { state.count += 1 }
            guard state.count >= state.limit else { return }
            state.names = state.names.mapValues { $0.filter { $0 == key || isHeld($0) } }.filter { !$0.value.isEmpty }
            state.count = state.names.values.reduce(0) { $0 + $1.count }
            state.limit = max(256, 2 * state.count)
        }
    }

    /// The names of the variants and files made of an original.
    func names(of original: CacheKey) -> Set<MemoryKey> { state.withLock { $0.names[original] ?? [] } }

    /// Removes the names of an original.
    func remove(_ original: CacheKey) {
        state.withLock { state in
            state.count -= state.names.removeValue(forKey: original)?.count ?? 0
        }
    }
}
