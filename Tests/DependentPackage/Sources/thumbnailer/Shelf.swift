// SPDX-License-Identifier: MIT
import WebImage

/// A store of this program's own, in the place of the disk: a table in memory, as a client of a shared store would be.
actor Shelf: CacheStoring {
    private var entries: [CacheKey: DiskEntry] = [:]

    var count: Int { entries.count }

    func entry(for key: CacheKey) -> DiskEntry? { entries[key] }

    func store(_ entry: DiskEntry, for key: CacheKey) -> StoreOutcome {
        entries[key] = entry
        entries[key]?.metadata.generation = ContentGeneration(of: entry.bytes)
        return .stored
    }

    func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) -> StoreOutcome? {
        guard var entry = entries[key], generation == nil || generation == entry.metadata.generation else { return nil }
        change(&entry.metadata)
        entries[key] = entry
        return .stored
    }

    func remove(_ key: CacheKey) { entries[key] = nil }

    func removeAll(madeFrom original: CacheKey) {
        entries = entries.filter { $0.key.original != original }
    }

    func removeAll() { entries = [:] }

    func shutdown(within limit: Duration) -> CacheShutdownReport {
        CacheShutdownReport(completedOperations: 0, abandonedOperations: 0)
    }
}
