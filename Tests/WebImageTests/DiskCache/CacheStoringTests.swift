// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import SDWebImageCache
@testable import WebImage

/// A store as another program would write it: only what must be implemented.
private actor Shelf: CacheStoring {
    private var entries: [CacheKey: DiskEntry] = [:]

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
        guard let entry = entries[key], generation == nil || entry.metadata.generation == generation else { return nil }
        change(&entries[key]!.metadata)
        return .stored
    }

    func remove(_ key: CacheKey) { entries[key] = nil }
    func removeAll() { entries = [:] }
    func shutdown(within limit: Duration) -> CacheShutdownReport {
        .init(completedOperations: 0, abandonedOperations: 0)
    }
}

/// What the users of any store rely on, for the disk cache and for a store of another program.
struct CacheStoringTests {
    private let original = CacheKey("original")
    private let variant = CacheKey("variant")
    private let folder: TemporaryFolder
    private let stores: [any CacheStoring]

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        stores = [
            DiskCache(.init(folder: folder.path)), SDWebImageCache(.init(folder: folder.path + "/flat")), Shelf(),
        ]
    }

    /// A variant of the original with this number.
    private func variantEntry(of number: Int?) -> DiskEntry {
        var entry = sampleEntry(50)
        entry.metadata.madeFrom = number.map { ContentGeneration(of: sampleEntry($0).bytes) }
        return entry
    }

    @Test
    func `a stored entry tells its content, and a variant that was made from another one is a miss, and is removed`()
        async throws
    {
        // A stored entry tells its content.
        for store in stores {
            var entry = sampleEntry(1)
            entry.metadata.generation = nil
            _ = try await store.store(entry, for: original)
            try await expectEqual(store.entry(for: original)?.metadata.generation, ContentGeneration(of: entry.bytes))
            try await expectEqual(store.metadata(for: original)?.generation, ContentGeneration(of: entry.bytes))
            try await expect(store.contains(original))
        }

        for store in stores { try await store.removeAll() }
        // A variant of another content than its original has is a miss, and is removed.
        for store in stores {
            _ = try await store.store(sampleEntry(1), for: original)
            _ = try await store.store(variantEntry(of: 1), for: variant)
            try await expectEqual(store.entry(for: variant, madeFrom: original)?.bytes, sampleEntry(50).bytes)
            try await store.renew(original) { $0.etag = "renewed" }
            try await expect(store.entry(for: variant, madeFrom: original) != nil, "the content is the same")
            _ = try await store.store(sampleEntry(2), for: original)
            try await expect(store.entry(for: variant) != nil, "it is still there")
            try await expectNil(store.entry(for: variant, madeFrom: original))
            try await expectNil(store.entry(for: variant))
            try await expectEqual(store.entry(for: original)?.bytes, sampleEntry(2).bytes)
        }

        for store in stores { try await store.removeAll() }
        // A variant without a stored original counts, and one that does not say what it was made from.
        for store in stores {
            _ = try await store.store(variantEntry(of: 1), for: variant)
            try await expect(store.entry(for: variant, madeFrom: original) != nil)
            _ = try await store.store(sampleEntry(1), for: original)
            _ = try await store.store(variantEntry(of: nil), for: variant)
            try await expect(store.entry(for: variant, madeFrom: original) != nil)
            try await expectNil(store.entry(for: CacheKey("none"), madeFrom: original))
        }
    }

    @Test
    func `the disk cache compares a variant with its original in one look-up, unless that cannot be read`()
        async throws
    {
        let disk = DiskCache(.init(folder: folder.path))
        _ = try await disk.store(sampleEntry(2, size: 50_000), for: original)
        _ = try await disk.store(variantEntry(of: 1), for: variant)
        _ = await disk.totalBytes
        try await expectNil(disk.entry(for: variant, madeFrom: original))
        let statistics = await disk.statistics
        expectEqual([statistics.hits, statistics.misses, statistics.outdatedEntries], [0, 1, 1])
        await expectEqual(disk.totalBytes, folder.entryBytes)
        expectEqual(folder.entryFiles.count, 1)

        // An original that cannot be read says nothing about its variant.
        do {
            let disk = DiskCache(.init(folder: folder.path))
            _ = try await disk.store(variantEntry(of: 1), for: variant)
            _ = try await disk.store(sampleEntry(2), for: original)
            try folder.write([1, 2, 3], to: KeyDigest(of: original).path(in: folder.path))
            try await expect(disk.entry(for: variant, madeFrom: original) != nil)
        }
    }
}
