#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

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
        /// Created when missing, for this user alone. Default: ``defaultFolder``.
        public var folder: String
        /// The highest sum of file sizes, in bytes, of all caches on the folder together.
        ///
        /// Default: 1 GiB. Trimming starts at 95 % and ends at 90 %. Caches that store at the same time may pass the
        /// limit by what they are writing, until one of them has trimmed the folder. The largest entry is an eighth of
        /// the limit, and at most a quarter of the memory that the process may use.
        public var sizeLimit: Int
        /// Older entries are misses and are removed.
        ///
        /// Counted from when they were stored; entries stored more than a minute in the future count as older. Default:
        /// one week.
        public var maximumAge: Duration
        /// Default: `.fast`.
        public var durability: Durability
        /// Threads that wait for the disk.
        ///
        /// Default: 4; more than 64 count as 64.
        public var threads: Int
        /// Operations that may wait for a thread; beyond it reads miss and stores are refused.
        ///
        /// Default: 4,096.
        public var queueLimit: Int
        /// Called when something keeps the cache from working: once for each kind of failure, until an operation of
        /// that sort succeeds again.
        ///
        /// Default: nothing. Must return soon; it runs on the cache's actor.
        public var onWarning: @Sendable (CacheError) -> Void
        /// The time since 1970.
        ///
        /// Default: the system's clock.
        public var now: @Sendable () -> Duration
        /// The clock of ``DiskCache/shutdown(within:)``.
        ///
        /// Default: the continuous clock.
        public var clock: any Clock<Duration>

        /// Creates a configuration. Limits below 1 count as 1.
        public init(
            folder: String = Self.defaultFolder, sizeLimit: Int = 1 << 30, maximumAge: Duration = .seconds(604_800),
            durability: Durability = .fast, threads: Int = 4, queueLimit: Int = 4096,
            onWarning: @escaping @Sendable (CacheError) -> Void = { _ in },
            now: @escaping @Sendable () -> Duration = Self.systemTime,
            clock: any Clock<Duration> = ContinuousClock()
        ) {
            self.folder = folder
            self.sizeLimit = sizeLimit
            self.maximumAge = maximumAge
            self.durability = durability
            self.threads = threads
            self.queueLimit = queueLimit
            self.onWarning = onWarning
            self.now = now
            self.clock = clock
        }

        /// The time of the system's clock since 1970.
        public static func systemTime() -> Duration { ProcessEnvironment.timeSinceEpoch }

        /// `swift-web-image` in `$XDG_CACHE_HOME`, or else in `~/.cache`.
        ///
        /// - Source: XDG Base Directory Specification 0.8; a relative `$XDG_CACHE_HOME` is ignored.
        public static var defaultFolder: String {
            defaultFolder(environment: ProcessEnvironment.variable, home: ProcessEnvironment.homeFolder)
        }

        static func defaultFolder(environment: (String) -> String?, home: String?) -> String {
            if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") { return caches + "/swift-web-image" }
            return (environment("HOME") ?? home ?? ".") + "/.cache/swift-web-image"
        }
    }
}

/// What the disk cache asks the system: the time, the environment and the home folder.
enum ProcessEnvironment {
    /// The time of the system's clock since 1970.
    static var timeSinceEpoch: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// The value of an environment variable; `nil` when it is not set or empty.
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }

    /// This user's home folder according to the user database.
    static var homeFolder: String? {
        guard let user = unsafe getpwuid(getuid()), let folder = unsafe user.pointee.pw_dir else { return nil }
        return unsafe String(cString: folder)
    }
}
