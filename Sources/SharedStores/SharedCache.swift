// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination
public import WebImage

/// A local store of entries before shared ones, so that several machines make each picture once.
///
/// Give it to `ImageCaches.init(memory:watch:disk:)` as the disk. It shares originals up to a size, what is known
/// about larger ones, and the files that `ImageManager.encodedImage(for:as:onProgress:)` makes. Where a store can
/// lease, one process works for an entry, and the others wait for it: also for its failure.
///
/// - Trouble of a shared store is a miss, and work is done here. It is counted, and told once for each kind.
/// - A read asks the local store, then the shared ones in order. What they have is verified, and not copied: a later
///   change of the original reaches this machine by them.
/// - Writes to shared stores are made behind the answer, and do not hold up the local store.
/// - ``removeAll()`` empties the local store alone, because other machines use what is shared. Shared entries end with
///   their lifetime.
/// - The word that an original was removed lasts ``Configuration/lifetime``, and two minutes more, because clocks
///   differ. An older file counts while a store knows its original, and its use prolongs that. Where a store can prolong
///   no life, such a file is made again.
/// - Machines that share entries share their tenants' pictures as a folder does: only requests that may be on disk are
///   shared.
public final class SharedCache: CacheStoring {
    /// The limits of a shared cache.
    public struct Configuration: Sendable {
        /// How long an entry is shared that has no `sharedAge` of its own. One day by default.
        public var lifetime: Duration = .seconds(86_400)
        /// How long the failure of a load that cannot succeed is shared. One minute by default.
        public var failureLifetime: Duration = .seconds(60)
        /// How long a load waits for another process. Then it works for itself. 30 seconds by default.
        ///
        /// After a wait in vain later loads wait an eighth of it, down to 250 milliseconds, until a claim is answered.
        public var maximumWait: Duration = .seconds(30)
        /// The largest number of bytes that wait to be written to each store. 64 MB by default.
        public var maximumPendingByteCount = 64_000_000
        /// Told of trouble, once for each kind until the store answers again. Must be quick.
        public var onTrouble: @Sendable (SharedStoreError) -> Void = { _ in }
        var clock: any Clock<Duration> = ContinuousClock()
        var now: @Sendable () -> Duration = DiskCache.Configuration.systemTime

        /// Creates a configuration with the defaults.
        public init() {}

        /// How long an entry is shared, by its own age or by the limit.
        func lifetime(of metadata: EntryMetadata) -> Duration {
            guard let age = metadata.sharedAge else { return lifetime }
            return min(age.length ?? Self.longest, Self.longest)
        }

        /// How long the word lasts that an original was removed. The clock that dates a file may be ahead, and the one
        /// that counts its age may be behind.
        var wordLifetime: Duration { min(lifetime, Self.longest) + .seconds(2 * Lifetime.tolerance) }

        private static let longest = Duration.seconds(10_000_000_000)
    }

    /// What has happened so far.
    public struct Counters: Sendable, Hashable {
        /// Entries that a shared store had.
        public var hits = 0
        /// Look-ups that no shared store answered with an entry.
        public var misses = 0
        /// Calls of a store that failed, came too late or brought a damaged entry.
        public var troubles = 0
        /// Writes that were not made.
        public var droppedWrites = 0
        /// Results that came after their lease had ended, and were not stored.
        public var refusedWrites = 0
        /// Loads for which this process worked alone, while others waited or could have.
        public var leases = 0
        /// Loads that found an entry, or the failure, of another process after they had asked for a lease.
        public var joins = 0

        /// Creates counters at zero.
        public init() {}
    }

    /// The store of this machine.
    public let local: (any CacheStoring)?
    /// The store of this machine.
    public var innerStores: [any CacheStoring] { local.map { [$0] } ?? [] }
    let lanes: [StoreLane]
    let configuration: Configuration
    let table = LeaseTable()

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - local: The store of this machine, usually a `DiskCache`; `nil` for none. Its shutdown is that of the
    ///     cache.
    ///   - stores: The shared stores, in the order in which they are asked. The first that can lease does so.
    ///   - configuration: Limits.
    public convenience init(
        local: (any CacheStoring)?, stores: [any SharedStore], configuration: Configuration = Configuration()
    ) {
        self.init(local: local, stores: stores, configuration: configuration, executor: nil)
    }

    init(
        local: (any CacheStoring)?, stores: [any SharedStore], configuration: Configuration,
        executor: (any TaskExecutor)?
    ) {
        self.local = local
        self.configuration = configuration
        lanes = stores.map { StoreLane($0, configuration, executor: executor) }
    }

    /// What has happened so far, in all stores.
    public var counters: Counters {
        lanes.map(\.counters).reduce(into: Counters()) { sum, part in
            sum.hits += part.hits
            sum.misses += part.misses
            sum.troubles += part.troubles
            sum.droppedWrites += part.droppedWrites
            sum.refusedWrites += part.refusedWrites
            sum.leases += part.leases
            sum.joins += part.joins
        }
    }

    // MARK: - Changing

    /// Seconds since 1970.
    var now: Int64 { configuration.now().wholeSeconds }

    /// Stores an entry in the local store, and hands it over for the shared ones.
    ///
    /// - Returns: What the local store says; without one, `.stored`.
    public func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
        try Task.checkCancellation()
        share(entry, for: key)
        return try await local?.store(entry, for: key) ?? .stored
    }

    private func share(_ entry: DiskEntry, for key: CacheKey) {
        guard key.isOriginal || key.isFile else { return end(key, with: .alone) }
        var entry = entry
        entry.metadata.storedAt = now
        entry.metadata.generation = ContentGeneration(of: entry.bytes)
        let bytes = entry.encoded(for: key)
        let lifetime = configuration.lifetime(of: entry.metadata)
        if !key.isOriginal { prolongAbout(key, entry.metadata) }
        for lane in lanes {
            if key.isOriginal, let about = SharedEntry.about(entry.metadata, for: key) {
                lane.submit(.store(.about(key), about, lifetime: max(lifetime, configuration.lifetime)))
            }
            let limit = key.isOriginal ? lane.traits.maximumOriginalByteCount : lane.traits.maximumFileByteCount
            let isShared = entry.bytes.count <= limit && lifetime > .zero
            if lane.store is any SharedLeasing, table.isLed(key) {
                end(key, with: isShared ? bytes.map { .stored($0, lifetime: lifetime) } ?? .alone : .alone)
            } else if isShared, let bytes {
                lane.submit(.store(SharedKey(key), bytes, lifetime: lifetime))
            }
        }
    }

    /// Changes what is known about an entry, in the local store and in the shared ones.
    ///
    /// Two machines that confirm one original at the same time both say what the origin has said; the last word stays.
    @discardableResult
    public func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        let outcome = try await local?.renew(key, ifContentIs: generation, change)
        guard key.isOriginal, case .known(var metadata)? = try await about(key),
            generation == nil || metadata.generation == generation
        else { return outcome }
        change(&metadata)
        metadata.storedAt = now
        if let about = SharedEntry.about(metadata, for: key) {
            let lifetime = max(configuration.lifetime(of: metadata), configuration.lifetime)
            for lane in lanes { lane.submit(.store(.about(key), about, lifetime: lifetime)) }
        }
        return outcome ?? .stored
    }

    /// Removes the entry from all stores.
    public func remove(_ key: CacheKey) async throws {
        try await local?.remove(key)
        try await removeShared(key.isOriginal ? [SharedKey(key), .about(key)] : [SharedKey(key)])
    }

    /// Removes the original from all stores. What was made of it goes from the local store, and no longer counts in the
    /// shared ones.
    public func removeAll(madeFrom original: CacheKey) async throws {
        try await local?.removeAll(madeFrom: original)
        if let word = SharedEntry.gone(original) {
            for lane in lanes { lane.submit(.store(.about(original), word, lifetime: configuration.wordLifetime)) }
        }
        try await removeShared([SharedKey(original)])
    }

    private func removeShared(_ keys: [SharedKey]) async throws {
        for lane in lanes {
            let done = OneShot<Void>()
            lane.submit(.remove(keys, done: done))
            await done.wait(onCancel: ())
        }
        try Task.checkCancellation()
    }

    /// Removes every entry of the local store.
    public func removeAll() async throws { try await local?.removeAll() }

    /// Writes what waits for the shared stores until the time is over, and ends all stores.
    ///
    /// What is not written by then is dropped. Calls of a store that are under way are cancelled, and have a quarter of
    /// a second to return. Those that do not are counted as abandoned; a program that has any ends with `_exit`,
    /// because `exit` takes from them what they use.
    public func shutdown(within limit: Duration) async -> CacheShutdownReport {
        await shutdown(within: limit, on: configuration.clock)
    }

    private func shutdown(within limit: Duration, on clock: some Clock<Duration>) async -> CacheShutdownReport {
        let deadline = Deadline(after: limit, on: clock, executor: nil)
        endLeases()
        _ = await deadline.outlasts { [lanes] in for lane in lanes { await lane.drain() } }
        let pending = lanes.reduce(0) { $0 + $1.pendingCount }
        for lane in lanes { lane.abandon() }
        let last = Deadline(after: max(deadline.remaining, ImageManager.unwindingTime), on: clock, executor: nil)
        for lane in lanes {
            _ = await last.outlasts {
                await lane.store.shutdown()
                await lane.drain()
            }
        }
        let left = lanes.reduce(0) { $0 + $1.callCount }
        var report =
            await local?.shutdown(within: deadline.remaining)
            ?? CacheShutdownReport(completedOperations: 0, abandonedOperations: 0)
        report.abandonedOperations += max(pending, left)
        return report
    }
}
