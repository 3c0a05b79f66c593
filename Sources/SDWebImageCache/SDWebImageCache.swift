// SPDX-License-Identifier: MIT
internal import PlatformBasics
internal import TaskCoordination
public import WebImage

/// The disk cache of SDWebImage as a store: a program that moves here keeps its pictures, and may share the folder with
/// one that has not moved.
///
/// Files have the names that SDWebImage gives them, and hold nothing but the bytes. What this package knows about them
/// stands in a hidden folder beside them; an entry that SDWebImage has written has none, and counts all the same. Its
/// extended data is `EntryMetadata.extendedData`.
///
/// Variants have the names that SDWebImage gives to transformed pictures, where it has the same transformers: stretching
/// and filling a box, fitting into one (its thumbnails), crops, flips and quarter turns. A transformer of the program's
/// own has its name there when its key begins with `SDImage` or `Thumbnail(`.
///
/// Two keys may have one name there: SDWebImage names a variant by the decoded path of its address. A file that is noted
/// for another key is a miss.
///
/// An entry is not checked for its age when it is asked for, but for an absolute one, or an end, of its own: like
/// SDWebImage, the cache removes old entries in a sweep, and then, when the folder is above its limit, the oldest until
/// it is half full. The sweep knows the limits of the folder alone.
///
/// **Cancellation**: every method that throws does so while it waits for a thread. A write that has begun is finished.
public actor SDWebImageCache: CacheStoring {
    /// The date from which the age of an entry is counted.
    public enum Date: Sendable, CaseIterable {
        /// The last use.
        case access
        /// The last store.
        case modification
        /// When the file was made; the last store where the file system does not keep it.
        case creation
        /// The last change of the file or of its attributes.
        case change
    }

    /// The folders and the limits.
    public struct Configuration: Sendable {
        /// The folder, an absolute path. SDWebImage's is
        /// `<Caches>/com.hackemist.SDImageCache/<namespace>`. Created when missing.
        public var folder: String
        /// Folders that are asked in order when the first has no entry. They are never written. Default: none.
        public var readOnlyFolders: [String]
        /// Older entries are removed by the sweep.
        ///
        /// Negative values stand for no limit. Default: one week.
        public var maximumAge: Duration
        /// The highest sum of file sizes, in bytes.
        ///
        /// 0, and less, stand for no limit. Default: 0.
        public var maximumByteCount: Int
        /// Default: `.access`.
        public var date: Date
        /// Default: one hour. 0, and less, stand for never.
        public var sweepInterval: Duration
        /// Called with the failures of the folder. Default: nothing. Must return soon.
        public var onWarning: @Sendable (CacheError) -> Void
        /// The time since 1970. Default: the system's clock.
        public var now: @Sendable () -> Duration
        /// The clock of the sweep and of the shutdown. Default: the continuous clock.
        public var clock: any Clock<Duration>

        /// Creates a configuration.
        public init(
            folder: String, readOnlyFolders: [String] = [], maximumAge: Duration = .seconds(604_800),
            maximumByteCount: Int = 0, date: Date = .access, sweepInterval: Duration = .seconds(3_600),
            onWarning: @escaping @Sendable (CacheError) -> Void = { _ in },
            now: @escaping @Sendable () -> Duration = DiskCache.Configuration.systemTime,
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.folder = folder
            self.readOnlyFolders = readOnlyFolders
            self.maximumAge = maximumAge
            self.maximumByteCount = maximumByteCount
            self.date = date
            self.sweepInterval = sweepInterval
            self.onWarning = onWarning
            self.now = now
            self.clock = clock
        }
    }

    let configuration: Configuration
    let files: FlatFiles
    private let pool: WorkerPool
    private let executor: (any TaskExecutor)?
    private var work = WorkCount()
    private var isOpen = true
    private var report: CacheShutdownReport?
    private var warnings = WarningGate()
    /// Bytes stored since the last sweep.
    private var grownBytes = 0
    private var sweeper: PacedTask?

    /// Creates a cache on a folder. Nothing is read or created before the first operation.
    public init(_ configuration: Configuration) {
        self.init(
            configuration, pool: WorkerPool(name: "sdwebimage-cache", width: 2, maximumQueueLength: 4096),
            system: FileSystem(), executor: nil)
    }

    init(_ configuration: Configuration, pool: WorkerPool, system: FileSystem, executor: (any TaskExecutor)?) {
        self.configuration = configuration
        self.pool = pool
        self.executor = executor
        files = FlatFiles(
            folder: configuration.folder, readOnlyFolders: configuration.readOnlyFolders, system: system)
    }

    var now: Int64 { configuration.now().wholeSeconds }

    /// No entry is larger, so that one entry cannot fill the memory or the folder.
    private var fileSizeLimit: Int {
        let memory = MemoryBudget.processLimit / 4
        return configuration.maximumByteCount > 0 ? min(memory, configuration.maximumByteCount / 2) : memory
    }

    // MARK: - CacheStoring

    /// The entry stored for `key`, in the folder or in one of the read-only folders, under its name or under that
    /// without the extension.
    public func entry(for key: CacheKey) async throws -> DiskEntry? {
        let (limit, time) = (fileSizeLimit, now)
        let found = try await run(.reading) { files throws(SystemFailure) in
            try files.read(key, limit: limit, at: time)
        }
        guard let entry = found ?? nil else { return nil }
        // The read before has moved the date of the last use, so a sliding age is that of the folder's sweep.
        let lifetime = Lifetime(now: time, maximumAge: .seconds(-1)).own(entry.metadata.age)
        let (stored, end) = (entry.metadata.storedAt, entry.metadata.keptUntil)
        return lifetime.covers(storedAt: stored, usedAt: time, keptUntil: end) ? entry : nil
    }

    /// Stores an entry in place of an earlier one.
    public func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
        guard isOpen else { return .notStored(CacheError(code: .shutDown, message: "The cache was shut down.")) }
        guard entry.bytes.count <= fileSizeLimit else {
            return .notStored(
                CacheError(code: .tooLarge, message: "The entry is above \(fileSizeLimit) bytes. Raise the size limit.")
            )
        }
        var entry = entry
        entry.metadata.storedAt = now
        let isStored: Void? = try await run(.writing) { [entry] files throws(SystemFailure) in
            try files.write(entry, for: key)
        }
        guard isStored != nil else { return refused }
        grownBytes += entry.bytes.count
        startSweeping()
        // A sweep leaves the folder half full.
        if configuration.maximumByteCount > 0, grownBytes > configuration.maximumByteCount / 2 {
            _ = try? await removeExpired()
        }
        return .stored
    }

    /// Changes what is known about an entry; its file stays.
    @discardableResult
    public func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        let (limit, time) = (fileSizeLimit, now)
        let isChanged: Bool? = try await run(.writing) { files throws(SystemFailure) in
            guard var entry = try files.read(key, limit: limit, at: time),
                generation == nil || entry.metadata.generation == generation
            else { return false }
            change(&entry.metadata)
            entry.metadata.storedAt = time
            try files.renew(entry, for: key)
            return true
        }
        guard let isChanged else { return refused }
        return isChanged ? .stored : nil
    }

    /// Removes the entry stored for `key`, with and without the extension. The read-only folders keep theirs.
    public func remove(_ key: CacheKey) async throws {
        _ = try await run(.removing) { files throws(SystemFailure) in try files.remove(key) }
    }

    /// Removes every entry of the folder. Files that are no entries stay.
    public func removeAll() async throws {
        let names =
            try await run(.removing) { files throws(SystemFailure) in try files.list(by: .access).map(\.name) }
            ?? []
        for slice in names.slices(of: DiskCache.sliceLength) {
            _ = try await run(.removing) { files throws(SystemFailure) in try files.remove(slice) }
        }
    }

    /// Removes the entries that are too old, then the oldest until the folder is half full, if it is above its limit.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: `CancellationError` between slices.
    @discardableResult
    public func removeExpired() async throws -> Int {
        let (date, time) = (configuration.date, now)
        grownBytes = 0
        guard var listed = try await run(.reading, { files throws(SystemFailure) in try files.list(by: date) }) else {
            return 0
        }
        let lifetime = Lifetime(now: time, maximumAge: configuration.maximumAge)
        let isKept = { (file: FlatFiles.Listed) in lifetime.covers(storedAt: file.date, usedAt: 0, keptUntil: nil) }
        var gone = listed.filter { !isKept($0) }.map(\.name)
        listed = listed.filter(isKept).sorted { ($0.date, $0.name) < ($1.date, $1.name) }
        var left = listed.reduce(0) { $0 + $1.size }
        var oldest = 0
        if configuration.maximumByteCount > 0, left > configuration.maximumByteCount {
            while oldest < listed.count, left >= configuration.maximumByteCount / 2 {
                left -= listed[oldest].size
                oldest += 1
            }
        }
        gone += listed[..<oldest].map(\.name)
        for slice in gone.slices(of: DiskCache.sliceLength) {
            _ = try await run(.removing) { files throws(SystemFailure) in try files.remove(slice) }
        }
        let present = Set(listed[oldest...].map { String($0.name.prefix(32)) })
        _ = try await run(.removing) { files throws(SystemFailure) in files.removeLeftovers(present, now: time) }
        return gone.count
    }

    /// Refuses new operations, and waits for the running ones until the time is over.
    public func shutdown(within limit: Duration) async -> CacheShutdownReport {
        if let report { return report }
        isOpen = false
        sweeper = nil
        let atStart = work.value
        if let idle = work.untilIdle() {
            let clock = configuration.clock
            await idle.wait(for: "deadline", on: executor) { await idle.resolve((), after: limit, on: clock) }
        }
        let left = work.value
        let report = self.report ?? CacheShutdownReport(completedOperations: atStart - left, abandonedOperations: left)
        self.report = report
        // A pool with a stuck thread never ends, so it is not awaited.
        if left == 0 { await pool.shutdown() }
        return report
    }

    // MARK: - Steps

    private var refused: StoreOutcome {
        .notStored(CacheError(code: .inputOutput, message: "The folder cannot be written.", path: files.folder))
    }

    /// Runs a step on the cache's threads.
    ///
    /// - Returns: `nil` when it failed, was refused, or the cache was shut down.
    private func run<Outcome: Sendable>(
        _ sort: WarningGate.Sort, _ step: @escaping @Sendable (FlatFiles) throws(SystemFailure) -> Outcome
    ) async throws -> Outcome? {
        try Task.checkCancellation()
        guard isOpen else { return nil }
        work.begin()
        defer { work.end().resume() }
        let result: Result<Outcome, SystemFailure>
        do {
            result = try await pool.run { [files] in Result { () throws(SystemFailure) in try step(files) } }
        } catch is CoordinationError {
            return nil
        }
        switch result {
        case .success(let outcome):
            warnings.recover(sort)
            return outcome
        case .failure(let failure):
            let error = CacheError(failure, path: files.folder)
            if warnings.shouldReport(error, during: sort) { configuration.onWarning(error) }
            return nil
        }
    }

    /// Starts the sweep by the clock, unless it runs or is switched off. The task does not keep the cache.
    private func startSweeping() {
        guard sweeper == nil, configuration.sweepInterval > .zero, isOpen else { return }
        let interval = configuration.sweepInterval
        sweeper = PacedTask(
            "sweep", on: executor, priority: .utility, clock: configuration.clock, after: interval
        ) { [weak self] in
            (try? await self?.removeExpired()) == nil ? nil : interval
        }
    }
}

extension EntryMetadata {
    /// What SDWebImage calls the extended data of an entry: bytes that a program keeps beside a picture, or `nil`.
    ///
    /// ``SDWebImageCache`` reads and writes them where SDWebImage does, in the attribute `com.hackemist.SDDiskCache` of
    /// the file; on Linux such names stand below `user`. What SDWebImage writes there is an archive of
    /// `NSKeyedArchiver`. Other stores keep the bytes in ``attributes``, in base 64.
    public var extendedData: [UInt8]? {
        get { attributes[Self.extendedDataName].flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } }
        set { attributes[Self.extendedDataName] = newValue.map { Data($0).base64EncodedString() } }
    }

    private static let extendedDataName = "com.hackemist.SDDiskCache"
}
