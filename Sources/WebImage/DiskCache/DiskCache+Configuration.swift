// SPDX-License-Identifier: MIT
extension DiskCache {
    /// Whether a store waits for the device.
    public enum Durability: Sendable {
        /// The system decides when to write. After a power cut, entries stored lately may be misses; a crash of the
        /// process loses no stored entry.
        case fast
        /// An entry is on the device before its store returns. About ten times slower.
        case synced
    }

    /// The folder, the limits and the clocks of a disk cache.
    public struct Configuration: Sendable {
        /// The folder, an absolute path.
        ///
        /// Created when missing, for this user alone. Default: ``defaultFolder``, which is this program's own. Programs
        /// share entries when they name the same folder, or the same namespace; see ``folder(namespace:)``.
        public var folder: String
        /// The highest sum of file sizes, in bytes, of all caches on the folder together.
        ///
        /// Default: 1 GiB. 0, and less, stand for no limit. Trimming starts at 95 % and ends at 90 %. Caches that store
        /// at the same time may pass the limit by what they are writing, until one of them has trimmed the folder. The
        /// largest entry is an eighth of the limit, and at most a quarter of the memory that the process may use.
        public var maximumByteCount: Int
        /// The space, in bytes, that the file system must have left for other uses.
        ///
        /// A store that would leave less is refused like one on a full disk, and makes room for later stores. Default:
        /// 0, and less: what the file system takes.
        public var minimumFreeByteCount: Int
        /// Older entries are misses and are removed.
        ///
        /// Negative values stand for no limit. Otherwise entries stored more than a minute in the future count as
        /// older. An entry may end earlier; see ``EntryMetadata/keptUntil``. Default: one week.
        public var maximumAge: Duration
        /// From when the age is counted.
        ///
        /// A use is noted in the entry's file, so it is known after a restart and to other processes: as its time of
        /// access, when the time there is older than a sixteenth of ``maximumAge`` or a day. Other programs that read
        /// the files may count as uses, as the file system decides. Default: `.sinceUse`.
        public var expiry: DiskCache.Expiry
        /// How often the cache looks for entries that are too old, and lists the folder again if other caches have
        /// changed it.
        ///
        /// Default: one hour. 0, and less, stand for never: such entries then go when they are asked for, or when the
        /// cache is full.
        public var sweepInterval: Duration
        /// Default: `.fast`.
        public var durability: Durability
        /// Threads that wait for the disk.
        ///
        /// Default: 4; more than 64 count as 64.
        public var threads: Int
        /// Operations that may wait for a thread; beyond it reads miss and stores are refused.
        ///
        /// Default: 4,096.
        public var maximumQueueLength: Int
        /// Called when something keeps the cache from working: once for each kind of failure, until an operation of
        /// that sort succeeds again.
        ///
        /// Default: nothing. Must return soon; it runs on the cache's actor.
        public var onWarning: @Sendable (CacheError) -> Void
        /// The time since 1970.
        ///
        /// Default: the system's clock.
        public var now: @Sendable () -> Duration
        /// The clock of ``DiskCache/shutdown(within:)`` and of the sweep.
        ///
        /// Default: the continuous clock.
        public var clock: any Clock<Duration>

        /// Creates a configuration for the folder of a namespace.
        ///
        /// Programs that name the same namespace share its entries; see ``folder(namespace:)``.
        public init(namespace: String) { self.init(folder: Self.folder(namespace: namespace)) }

        /// Creates a configuration. A number of threads or of waiting operations below 1 counts as 1.
        public init(
            folder: String = Self.defaultFolder, maximumByteCount: Int = 1 << 30, minimumFreeByteCount: Int = 0,
            maximumAge: Duration = .seconds(604_800),
            expiry: DiskCache.Expiry = .sinceUse, sweepInterval: Duration = .seconds(3_600),
            durability: Durability = .fast, threads: Int = 4, maximumQueueLength: Int = 4096,
            onWarning: @escaping @Sendable (CacheError) -> Void = { _ in },
            now: @escaping @Sendable () -> Duration = Self.systemTime,
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.folder = folder
            self.maximumByteCount = maximumByteCount
            self.minimumFreeByteCount = minimumFreeByteCount
            self.maximumAge = maximumAge
            self.expiry = expiry
            self.sweepInterval = sweepInterval
            self.durability = durability
            self.threads = threads
            self.maximumQueueLength = maximumQueueLength
            self.onWarning = onWarning
            self.now = now
            self.clock = clock
        }

        /// The time of the system's clock since 1970.
        public static func systemTime() -> Duration { ProcessEnvironment.timeSinceEpoch }
    }
}
