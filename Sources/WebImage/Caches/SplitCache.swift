// SPDX-License-Identifier: MIT
/// Two stores by what they keep: originals in one, and what is made of them in the other.
///
/// Originals are worth keeping long, on a disk that is large. Variants can be made again.
public struct SplitCache: CacheStoring {
    private let originals: any CacheStoring
    private let others: any CacheStoring

    /// Creates a store. Its shutdown shuts both stores down.
    ///
    /// - Parameters:
    ///   - originals: Keeps the files as the origins send them.
    ///   - others: Keeps variants, and files in other formats.
    public init(originals: any CacheStoring, others: any CacheStoring) {
        self.originals = originals
        self.others = others
    }

    /// Both stores, that of the originals first.
    public var innerStores: [any CacheStoring] { [originals, others] }

    private func store(of key: CacheKey) -> any CacheStoring { key.isOriginal ? originals : others }

    /// The entry of the store that keeps such keys.
    public func entry(for key: CacheKey) async throws -> DiskEntry? { try await store(of: key).entry(for: key) }

    /// What that store knows about the entry.
    public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
        try await store(of: key).metadata(for: key)
    }

    /// Whether that store has the entry.
    public func contains(_ key: CacheKey) async throws -> Bool { try await store(of: key).contains(key) }

    /// Stores an entry in the store that keeps such keys.
    public func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
        try await store(of: key).store(entry, for: key)
    }

    /// Changes what is known about the entry.
    @discardableResult
    public func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        try await store(of: key).renew(key, ifContentIs: generation, change)
    }

    /// Removes the entry from the store that keeps such keys.
    public func remove(_ key: CacheKey) async throws { try await store(of: key).remove(key) }

    /// Removes an original from the one store, and what was made of it from the other.
    public func removeAll(madeFrom original: CacheKey) async throws {
        try await originals.remove(original)
        try await others.removeAll(madeFrom: original)
    }

    /// Removes everything from both stores.
    public func removeAll() async throws {
        try await originals.removeAll()
        try await others.removeAll()
    }

    /// Shuts both stores down at once.
    public func shutdown(within limit: Duration) async -> CacheShutdownReport {
        await CacheStack([originals, others]).shutdown(within: limit)
    }
}
