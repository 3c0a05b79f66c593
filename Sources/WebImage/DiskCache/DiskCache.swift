// SPDX-License-Identifier: MIT
internal import Synchronization
internal import TaskCoordination

/// Entries kept in a folder, bounded by size and age. A reader gets a complete and verified entry or none.
///
/// Each entry has one file, which is written elsewhere and renamed into its place. So neither a crash nor a second
/// process on the same folder ever shows half an entry. Every read verifies lengths, checksum and key; an entry that
/// fails is removed and is a miss. A failing disk never fails a load: reads miss, stores say why they did not keep the
/// entry, and ``Configuration/onWarning`` is called once.
///
/// Any number of caches, in any number of processes and containers, may share a folder. All of them share one size
/// limit: each reads from a shared file how much the others have stored. One cache at a time lists the folder and trims
/// it.
///
/// The contents of the folder are untrusted: lengths that a file only announces allocate nothing, links in place of its
/// folders are refused, and an entry dated more than a minute in the future is a miss, like one that is too old.
///
/// A cache has at most three file descriptors open for each of its ``Configuration/threads``, one for the shared file,
/// and one more while it trims. When none is left, reads miss and stores are refused, with one warning each.
///
/// The actor owns the index and the accounting alone. Files are read and written by threads of its own, so neither the
/// actor nor the cooperative pool waits for a disk. A caller reads up to 1 MiB itself where the system has the file in
/// memory and can tell so: on Linux 5.12 and later, with ext4, XFS or btrfs, and no link in the path of the folder. The
/// index is advisory: a hit reads the file, and does not wait for the listing of the folder. A miss asks no thread
/// either, on a file system of this machine, as long as no other cache has stored anything since the folder was listed:
/// then the index knows every entry. Entry files that another program puts into the folder are found after the next
/// listing.
///
/// **Cancellation**: every method throws `CancellationError` while it waits for its turn. A write that has begun is
/// finished.
public actor DiskCache: CacheStoring {
    let configuration: Configuration
    nonisolated let files: EntryFiles
    /// Whether callers read what is in memory: until the system says that it cannot tell.
    nonisolated let readsInMemory: Atomic<Bool>
    let account: FolderAccount
    let pool: WorkerPool
    let executor: (any TaskExecutor)?

    var index = DiskIndex()
    var turns = KeyTurns()
    /// What has been done; what the cache holds is the index.
    var counters = Statistics()
    var warnings = WarningGate()
    var life = LifeCycle()
    /// Bytes of the entries being written.
    var pendingBytes = 0
    /// The disk was full; no store is tried until this time.
    var backOff: Range<Duration>?

    /// Whether the folder was listed once.
    var isIndexed = false
    var indexWaiters: [OneShot<Void>] = []
    /// Keys that this process has changed since the running listing began, for which the listing may be wrong; `nil`
    /// without a listing.
    var changedDuringListing: Set<KeyDigest>?
    /// What other caches have done since the folder was listed; before, they may have done anything.
    var foreign = FolderAccount.Foreign(hasChanged: true)
    /// Keys for which the index was wrong about the file. Another process may have changed it.
    var doubtful: Set<KeyDigest> = []
    /// The sizes of the files that reads have found while another operation had the turn; `nil` for a missing file.
    /// They are compared with the index when the turn is passed on.
    var seenDuringTurn: [KeyDigest: Int?] = [:]
    var plannedVictims: ArraySlice<DiskIndex.Victim> = []
    /// Lists, trims and corrects the index beside the operations.
    ///
    /// Not a child of any of them: it outlives the one that started it. ``shutdown(within:)`` cancels and awaits it.
    var maintenance: Task<Void, Never>?
    /// Removes entries that are too old, by the clock. Ends with the cache; ``shutdown(within:)`` cancels and awaits
    /// it.
    var sweeper: PacedTask?

    /// Creates a cache on a folder.
    ///
    /// Nothing is read or created before the first operation.
    public init(_ configuration: Configuration = .init()) {
        let pool = WorkerPool(
            name: "disk-cache", width: min(max(1, configuration.threads), 64),
            maximumQueueLength: max(1, configuration.maximumQueueLength))
        self.init(configuration, pool: pool, system: FileSystem(), executor: nil, readsInMemory: true)
    }

    /// Creates a cache for a test that owns its threads, its maintenance task and its system calls.
    ///
    /// - Parameter readsInMemory: Whether callers read what is in memory; otherwise the threads read everything.
    init(
        _ configuration: Configuration, pool: WorkerPool, system: FileSystem, executor: (any TaskExecutor)?,
        readsInMemory: Bool = false
    ) {
        self.configuration = configuration
        self.pool = pool
        self.executor = executor
        files = EntryFiles(
            folder: configuration.folder, isSynced: configuration.durability == .synced, system: system)
        account = FolderAccount(
            files, maximumByteCount: configuration.maximumByteCount > 0 ? configuration.maximumByteCount : .max)
        self.readsInMemory = Atomic(readsInMemory)
    }

    /// The sum of the sizes of all entries' files, in bytes, as far as this cache knows.
    ///
    /// Waits until the folder was listed once. The cache learns of later changes by other caches when it reads the
    /// changed entry, and before it trims.
    public var totalBytes: Int {
        get async {
            await waitForIndex()
            await correctIndex()
            return index.totalBytes
        }
    }

    /// The number of entries, as far as this cache knows.
    ///
    /// Waits until the folder was listed once.
    public var entryCount: Int {
        get async {
            await waitForIndex()
            await correctIndex()
            return index.count
        }
    }

    /// Why the cache does not work; `nil` while it works, and before the first operation.
    ///
    /// The last failure of a store, or else of a read or a removal. It counts until an operation of its sort succeeds,
    /// or a store does. Does not wait.
    public var trouble: CacheError? {
        warnings.failures[.writing] ?? warnings.failures[.reading] ?? warnings.failures[.removing]
    }

    // MARK: - Shared by the operations

    nonisolated var maximumByteCount: Int { configuration.maximumByteCount > 0 ? configuration.maximumByteCount : .max }

    /// The largest file: an eighth of the limit, so that one entry cannot empty the cache, and no more than may be held
    /// in memory.
    nonisolated var fileSizeLimit: Int {
        max(EntryHeader.length, min(maximumByteCount / 8, MemoryBudget.processLimit / 4))
    }

    /// Seconds since 1970.
    nonisolated var now: Int64 { configuration.now().wholeSeconds }

    nonisolated var lifetime: Lifetime {
        Lifetime(now: now, maximumAge: configuration.maximumAge, expiry: configuration.expiry)
    }

    /// The bytes in the folder: those in the index, and those that other caches have stored since it was listed.
    var knownBytes: Int { index.totalBytes + foreign.bytes }

    /// Runs blocking work on the cache's threads.
    ///
    /// - Returns: `nil` when the pool refused it.
    /// - Throws: `CancellationError`, and then the work did not run.
    func perform<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async throws -> Outcome? {
        do {
            return try await pool.run(body)
        } catch is CoordinationError {
            return nil
        }
    }

    /// Runs a step on the cache's threads that may fail.
    ///
    /// - Returns: `nil` when the pool refused it.
    /// - Throws: `CancellationError`, and then the step did not run.
    func attempt<Outcome: Sendable>(
        _ step: @escaping @Sendable (EntryFiles) throws(SystemFailure) -> Outcome
    ) async throws -> Result<Outcome, SystemFailure>? {
        try await perform { [files] in Result { () throws(SystemFailure) in try step(files) } }
    }

    /// Waits for the turn to change a key's file; ``passTurn(_:)`` must follow.
    func takeTurn(_ digest: KeyDigest) async throws {
        if turns.take(digest) { return }
        guard await turns.join(digest).wait(onCancel: false) else { throw CancellationError() }
    }

    func passTurn(_ digest: KeyDigest) {
        turns.pass(digest)
        if let size = seenDuringTurn.removeValue(forKey: digest) { compare(digest, found: size) }
    }

    /// Lets the maintenance task look at a file that differs from the index.
    ///
    /// - Parameter size: `nil` when there is no file.
    func compare(_ digest: KeyDigest, found size: Int?) {
        if turns.isTaken(digest) {
            seenDuringTurn[digest] = .some(size)
        } else if index[digest]?.size != size, isIndexed || size == nil || index[digest] != nil {
            doubtful.insert(digest)
            startMaintenance()
        }
    }

    /// Notes a file of this size, or its absence.
    ///
    /// - Parameter metadata: What says when the entry ends; `nil` when that is unknown.
    func note(_ digest: KeyDigest, size: Int?, storedAt: Int64, _ metadata: EntryMetadata? = nil) {
        changedDuringListing?.insert(digest)
        if let size {
            index.set(digest, size: size, storedAt: storedAt, usedAt: now, metadata)
            startSweeping()
        } else {
            index.remove(digest)
        }
    }

    func warn(_ error: CacheError, during sort: WarningGate.Sort) {
        if warnings.shouldReport(error, during: sort) { configuration.onWarning(error) }
    }
}
