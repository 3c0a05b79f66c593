import TaskCoordination

/// Writes pictures to disk after their load has landed: one write per key at a time, the newest content last.
///
/// States only move forward: open, closed, abandoned. Beyond `limit` keys a write is dropped and counted, because a
/// slow disk must not take the memory of the process.
actor WriteBehind {
    typealias Making = @concurrent @Sendable () async throws -> DiskEntry

    private let disk: DiskCache
    private let executor: (any TaskExecutor)?
    private let limit: Int
    /// The next write of each key. A later submission replaces an earlier one that has not begun.
    private var newest: [CacheKey: Making] = [:]
    /// The unstructured task that writes a key until nothing is left. It outlives the load, because a caller that has
    /// its picture must not wait for the disk. Awaited by `drain`, cancelled by `abandon`.
    private var writers: [CacheKey: Task<Void, Never>] = [:]
    /// The readers that wait until a key is written.
    private var readers: [CacheKey: [ObjectIdentifier: OneShot<Void>]] = [:]
    /// The writers, for the callers that wait until everything is written.
    private var work = WorkCount()
    private var isOpen = true
    private var isAbandoned = false

    /// The number of writes not made: refused when full or closed, abandoned, or failed.
    private(set) var droppedCount = 0

    init(disk: DiskCache, executor: (any TaskExecutor)? = nil, limit: Int = 1_000) {
        self.disk = disk
        self.executor = executor
        self.limit = limit
    }

    /// The number of keys that wait to be written or are being written.
    var pendingCount: Int { writers.count }

    /// The number of entries in the tables of writes and waiters. For tests.
    var entryCount: Int {
        newest.count + writers.count + work.waiterCount + readers.values.reduce(0) { $0 + $1.count }
    }

    /// Writes the entry that `making` makes, later. Never fails the caller.
    ///
    /// - Parameter isCurrent: Called in the step that takes the write; `false` means that newer content has arrived.
    func submit(
        for key: CacheKey, if isCurrent: @Sendable () -> Bool = { true }, _ making: @escaping Making
    ) {
        guard isCurrent() else { return }
        guard isOpen, writers.count < limit || writers[key] != nil else {
            droppedCount += 1
            return
        }
        newest[key] = making
        guard writers[key] == nil else { return }
        work.begin()
        writers[key] = Task(name: "write \(key)", executorPreference: executor, priority: .utility) {
            await self.write(key)
        }
    }

    private func write(_ key: CacheKey) async {
        while let making = newest.removeValue(forKey: key) {
            do {
                if case .notStored = try await disk.store(making(), for: key) { droppedCount += 1 }
            } catch {
                droppedCount += 1
            }
        }
        writers[key] = nil
        Array((readers.removeValue(forKey: key) ?? [:]).values).resume()
        work.end().resume()
    }

    /// Waits until what was submitted for `key` is on disk, so that no reader gets an entry that is about to be
    /// replaced.
    ///
    /// **Cancellation**: returns at once. **Priority**: the writer rises to the priority of the waiting task.
    func settle(_ key: CacheKey) async {
        guard !isAbandoned, let writer = writers[key] else { return }
        writer.escalatePriority(to: Task.currentPriority)
        let place = OneShot<Void>()
        readers[key, default: [:]][ObjectIdentifier(place)] = place
        await place.wait(onCancel: ())
        // A cancelled wait removes its entry; after any other wait there is none.
        readers[key]?[ObjectIdentifier(place)] = nil
    }
}

// MARK: - The end

extension WriteBehind {
    /// Waits until nothing is left to write, or everything has been abandoned.
    func drain() async {
        if !isAbandoned { await work.untilIdle()?.wait() }
    }

    /// Refuses new writes.
    func close() { isOpen = false }

    /// Drops the waiting writes and does not wait for the running ones: a write is a temporary file and a rename, so an
    /// abandoned one leaves no broken entry.
    func abandon() {
        isOpen = false
        isAbandoned = true
        droppedCount += newest.count
        newest.removeAll()
        for writer in writers.values { writer.cancel() }
        let waiting = readers.values.flatMap(\.values)
        readers.removeAll()
        waiting.resume()
        work.takeWaiting().resume()
    }
}
