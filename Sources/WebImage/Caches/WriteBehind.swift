// SPDX-License-Identifier: MIT
import TaskCoordination

/// Writes pictures to a store after their load has landed: one write per key at a time, the newest content last.
///
/// What waits to be written is bounded in bytes, because a slow disk must not take the memory of the process. Beyond
/// the limit ``submit(for:byteCount:if:_:)`` waits for room, in order of arrival, and
/// ``submitIfRoom(for:byteCount:if:_:)`` drops the write. Each dropped write is counted and reported.
///
/// States only move forward: open, closed, abandoned.
actor WriteBehind {
    typealias Making = PendingWrite.Making

    /// Keys that are written at a time.
    private static let width = 64

    private let store: any CacheStoring
    private let executor: (any TaskExecutor)?
    let byteLimit: Int
    private let onDrop: @Sendable (CacheKey) -> Void
    private let onWarning: @Sendable (CacheError) -> Void

    /// The next write of each key. A later submission replaces an earlier one that has not begun.
    var newest: [CacheKey: PendingWrite] = [:]
    /// The keys in ``newest`` without a writer, in order of arrival. A key may have been written since.
    private var ready = HeadQueue<CacheKey>()
    /// The unstructured task that writes a key until nothing is left. It outlives the load, because a caller that has
    /// its picture must not wait for the disk. Awaited by `drain`, cancelled by `abandon`.
    var writers: [CacheKey: Task<Void, Never>] = [:]
    /// The submissions that wait for room, by number, and the numbers in order of arrival.
    var places: [Int: Submission] = [:]
    var line = HeadQueue<Int>()
    var lastNumber = 0
    /// The number of submissions of each key that wait for room.
    var placeCounts: [CacheKey: Int] = [:]
    /// The readers that wait until a key is written.
    var readers: [CacheKey: [ObjectIdentifier: OneShot<Void>]] = [:]
    /// The callers that wait for the writes of their period.
    var flushes: [(period: Int, place: OneShot<Void>)] = []
    var periods = WritePeriods()
    /// The writes, for the callers that wait until everything is written.
    var work = WorkCount()
    var isOpen = true
    var isAbandoned = false
    /// A refusal was reported, and the writes have not caught up since.
    private var hasWarned = false

    /// The number of writes not made: refused when full or closed, cancelled while they waited for room, abandoned, or
    /// failed.
    private(set) var droppedCount = 0
    /// The memory that the writes taken and not finished keep, in bytes.
    private(set) var pendingByteCount = 0

    /// Creates an idle writer.
    ///
    /// - Parameters:
    ///   - store: Where entries are written.
    ///   - executor: Where writes begin; `nil` for the global pool.
    ///   - byteLimit: The memory that the writes may keep. A single write above it is made when there is no other.
    ///   - onDrop: Called for each write that is not made. Must be quick.
    ///   - onWarning: Called once when a write is refused for lack of room, until the writes have caught up.
    init(
        _ store: any CacheStoring, executor: (any TaskExecutor)? = nil,
        byteLimit: Int = MemoryBudget.defaultMaximumWriteByteCount,
        onDrop: @escaping @Sendable (CacheKey) -> Void = { _ in },
        onWarning: @escaping @Sendable (CacheError) -> Void = { _ in }
    ) {
        self.store = store
        self.executor = executor
        self.byteLimit = byteLimit
        self.onDrop = onDrop
        self.onWarning = onWarning
    }

    // MARK: - Submissions

    /// Changes what is known about the stored entry, later and after the writes of the key submitted before. Dropped
    /// when there is no room.
    ///
    /// - Parameter byteCount: The memory that `change` keeps.
    func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?, byteCount: Int = 0,
        if isCurrent: @Sendable () -> Bool = { true },
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) {
        let renewal = PendingWrite.Renewal(generation: generation, change: change)
        let write = PendingWrite(renewal: renewal, for: key, byteCount: byteCount, period: periods.current)
        takeIfRoom(write, key, isCurrent)
    }

    /// Writes the entry that `making` makes, later, if there is room for it now.
    ///
    /// - Returns: Whether the write was taken, or was not needed because newer content has arrived.
    @discardableResult
    func submitIfRoom(
        for key: CacheKey, byteCount: Int, if isCurrent: @Sendable () -> Bool = { true }, _ making: @escaping Making
    ) -> Bool {
        let write = PendingWrite(making: making, for: key, byteCount: byteCount, period: periods.current)
        return takeIfRoom(write, key, isCurrent)
    }

    @discardableResult
    private func takeIfRoom(_ write: PendingWrite, _ key: CacheKey, _ isCurrent: @Sendable () -> Bool) -> Bool {
        guard isOpen else {
            drop(key)
            return false
        }
        guard hasRoom(for: write, key) else {
            refuse(key)
            return false
        }
        begin()
        take(write, key, isCurrent)
        return true
    }

    func take(_ write: PendingWrite, _ key: CacheKey, _ isCurrent: @Sendable () -> Bool) {
        guard isCurrent() else { return end(write, key) }
        let merged = newest[key].map { write.merged(into: $0) } ?? write
        if let earlier = newest.updateValue(merged, forKey: key) {
            pendingByteCount -= earlier.byteCount
            // The earlier write stands for both, in the period of the earlier one.
            periods.end(write.period)
            work.end().resume()
        } else if writers[key] == nil {
            ready.append(key)
        }
        pendingByteCount += merged.byteCount
        startWriters()
    }

    // MARK: - Writing

    private func startWriters() {
        while writers.count < Self.width, let key = ready.popFirst() {
            if newest[key] != nil { startWriter(key) }
        }
    }

    func startWriter(_ key: CacheKey) {
        guard writers[key] == nil else { return }
        writers[key] = Task(name: "write \(key)", executorPreference: executor, priority: .utility) {
            await self.write(key)
        }
    }

    private func write(_ key: CacheKey) async {
        while let write = newest.removeValue(forKey: key) {
            let isMade = (try? await write.run(on: store, for: key)) ?? false
            if !isMade { drop(key) }
            finish(write, key)
            admit()
        }
        writers[key] = nil
        releaseReaders(of: key)
        startWriters()
    }

    // MARK: - Counting

    /// The number of writes submitted and not finished, without those that a later one has replaced.
    var pendingCount: Int { work.value }

    /// The number of entries in the tables of writes and waiters. For tests.
    var entryCount: Int {
        newest.count + writers.count + places.count + placeCounts.count + flushes.count + periods.count
            + work.waiterCount + readers.values.reduce(0) { $0 + max(1, $1.count) }
    }

    func begin() {
        work.begin()
        periods.begin()
    }

    /// Gives back the memory of a write that was taken.
    func finish(_ write: PendingWrite, _ key: CacheKey) {
        pendingByteCount -= write.byteCount
        if pendingByteCount == 0 { hasWarned = false }
        end(write, key)
    }

    /// Notes that a write was made or dropped, and resumes what waits for it.
    func end(_ write: PendingWrite, _ key: CacheKey) {
        periods.end(write.period)
        let over = flushes.filter { periods.isOver($0.period) }
        if !over.isEmpty {
            flushes.removeAll { periods.isOver($0.period) }
            over.map(\.place).resume()
        }
        work.end().resume()
        releaseReaders(of: key)
    }

    /// Whether a write of `key` is not finished.
    func isPending(_ key: CacheKey) -> Bool { writers[key] != nil || newest[key] != nil || placeCounts[key] != nil }

    private func releaseReaders(of key: CacheKey) {
        guard !isPending(key), let waiting = readers.removeValue(forKey: key) else { return }
        Array(waiting.values).resume()
    }

    /// Counts a write that is not made.
    func drop(_ key: CacheKey) {
        droppedCount += 1
        onDrop(key)
    }

    private func refuse(_ key: CacheKey) {
        drop(key)
        guard !hasWarned else { return }
        hasWarned = true
        onWarning(
            CacheError(
                code: .overloaded,
                message: "More than \(byteLimit) bytes wait to be written to the cache. Use a faster disk, "
                    + "load fewer pictures at a time, or raise the limit."))
    }
}
