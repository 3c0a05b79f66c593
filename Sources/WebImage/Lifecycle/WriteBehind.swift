import TaskCoordination

/// Writes pictures to disk after their load has landed: one write per key at a time, the newest content last.
///
/// States only move forward: open, draining, closed. Bounded: past `limit` waiting keys a write is dropped and counted,
/// because a cache that cannot keep up must not take the memory of the process.
actor WriteBehind {
    typealias Making = @concurrent @Sendable () async throws -> DiskEntry

    private let disk: DiskCache
    private let executor: (any TaskExecutor)?
    private let limit: Int
    /// What is to be written next under a key; a later submission replaces an earlier one that has not begun.
    private var newest: [CacheKey: Making] = [:]
    /// The unstructured task that writes a key until nothing is left. It outlives the load on purpose: a caller that
    /// has its picture must not wait for the disk. Awaited by `drain`, cancelled by `abandon`.
    private var writers: [CacheKey: Task<Void, Never>] = [:]
    private var isOpen = true

    /// How many writes were not made: refused when full or closed, abandoned, or failed.
    private(set) var droppedCount = 0

    init(disk: DiskCache, executor: (any TaskExecutor)? = nil, limit: Int = 1_000) {
        self.disk = disk
        self.executor = executor
        self.limit = limit
    }

    /// Writes what `making` makes, later. Never fails the caller.
    func submit(for key: CacheKey, _ making: @escaping Making) {
        guard isOpen, newest.count < limit || newest[key] != nil else {
            droppedCount += 1
            return
        }
        newest[key] = making
        guard writers[key] == nil else { return }
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
    }

    /// How many keys wait to be written or are being written.
    var pendingCount: Int { writers.count }

    /// Waits until nothing is left to write.
    func drain() async {
        while let writer = writers.values.first { await writer.value }
    }

    /// Takes no more.
    func close() { isOpen = false }

    /// Drops what has not been written and does not wait for what is being written: a write is a temporary file and a
    /// rename, so an abandoned one leaves nothing torn.
    func abandon() {
        droppedCount += newest.count
        newest.removeAll()
        for writer in writers.values { writer.cancel() }
    }
}
