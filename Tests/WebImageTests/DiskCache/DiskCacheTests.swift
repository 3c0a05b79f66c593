// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

struct DiskCacheTests {
    private let folder: TemporaryFolder
    private let time = TestTime()
    private let key = CacheKey("https://images.example/1.png")

    init() throws { folder = try TemporaryFolder() }

    private func makeCache(maximumByteCount: Int = 1 << 20, warnings: WarningLog = .init()) -> DiskCache {
        let time = self.time
        return DiskCache(
            .init(
                folder: folder.path, maximumByteCount: maximumByteCount, onWarning: { warnings.append($0) },
                now: { time.now }))
    }

    private func path(_ key: CacheKey) -> String {
        EntryFiles(folder: folder.path, isSynced: false).path(of: KeyDigest(of: key))
    }

    @Test func `a stored entry is returned with the time of the cache's clock`() async throws {
        let cache = makeCache()
        try await expectNil(cache.entry(for: key))
        try await expect(cache.store(sampleEntry(), for: key).isStored)
        var expected = sampleEntry()
        expected.metadata.storedAt = time.now.components.seconds
        try await expectEqual(cache.entry(for: key), expected)
        try await expectEqual(cache.metadata(for: key), expected.metadata)
        try await expect(cache.contains(key))
        await expectEqual(cache.entryCount, 1)
        await expectEqual(cache.totalBytes, folder.entryBytes)
        try await cache.remove(key)
        try await expect(!cache.contains(key))
        await expectEqual(cache.totalBytes, 0)
        let statistics = await cache.statistics
        expectEqual([statistics.hits, statistics.misses, statistics.stores], [3, 2, 1])
        expect(statistics.isIndexComplete)
    }

    @Test func `two caches on one folder see each other's changes and count right afterwards`() async throws {
        let (first, second) = (makeCache(), makeCache())
        await expectEqual(first.entryCount, 0)
        await expectEqual(second.entryCount, 0)
        // Repeated, because a change must not overtake a correction that runs.
        for _ in 0..<200 {
            _ = try await first.store(sampleEntry(1, size: 10), for: key)
            try await expectEqual(second.entry(for: key)?.bytes.count, 10)
            _ = try await second.store(sampleEntry(1, size: 2_000), for: key)
            try await expectEqual(first.entry(for: key)?.bytes.count, 2_000)
            try await second.remove(key)
            try await expectNil(first.entry(for: key))
            for cache in [first, second] {
                await cache.maintenance?.value
                await expectEqual(cache.totalBytes, 0)
            }
        }
    }

    @Test func `on real threads the account is right and no entry is mixed up`() async throws {
        let cache = makeCache(maximumByteCount: 100_000)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(worker))
                    for _ in 0..<60 {
                        let number = Int.random(in: 0..<50, using: &random)
                        let key = CacheKey("\(number % 7)")
                        switch number % 5 {
                        case 0: try? await cache.remove(key)
                        case 1:
                            guard let found = try? await cache.entry(for: key) else { continue }
                            let writer = Int(found.metadata.attributes["writer"] ?? "") ?? -1
                            expectEqual(found.bytes, sampleEntry(writer, size: 40 * writer).bytes)
                        default:
                            var entry = sampleEntry(number, size: 40 * number)
                            entry.metadata.attributes["writer"] = "\(number)"
                            _ = try? await cache.store(entry, for: key)
                        }
                    }
                }
            }
        }
        await cache.maintenance?.value
        await expectEqual(cache.totalBytes, folder.entryBytes)
        expectEmpty(folder.unfinishedFiles)
        await expectEqual(cache.statistics.damagedEntries, 0)
    }

    @Test func `a damaged entry is a miss, removed and counted, also when its body alone is damaged`() async throws {
        let cache = makeCache()
        _ = try await cache.store(sampleEntry(), for: key)
        try folder.write([1, 2, 3], to: path(key))
        try await expectNil(cache.entry(for: key))
        await expectEqual(cache.statistics.damagedEntries, 1)
        await expectEqual(cache.totalBytes, 0)
        expectEmpty(folder.entryFiles)
        try await expect(cache.store(sampleEntry(), for: key).isStored)
        try await expect(cache.contains(key))

        // A body damaged behind sound metadata is noticed when it is read.
        do {
            let cache = makeCache()
            _ = try await cache.store(sampleEntry(), for: key)
            var bytes = try folder.read(path(key))
            bytes[bytes.count - 1] ^= 1
            try folder.write(bytes, to: path(key))
            try await expect(cache.metadata(for: key) != nil)
            try await expectNil(cache.entry(for: key))
            try await expectNil(cache.metadata(for: key))
        }
    }

    @Test func `an entry that is too old is a miss and removed, its successor and the rest are kept`() async throws {
        // An entry that is too old is a miss.
        do {
            let time = self.time
            let cache = DiskCache(.init(folder: folder.path, expiry: .sinceStore, now: { time.now }))
            _ = try await cache.store(sampleEntry(), for: key)
            time.advance(by: .seconds(604_799))
            try await expect(cache.contains(key))
            time.advance(by: .seconds(1))
            try await expect(!cache.contains(key))
            await expectEqual(cache.statistics.expirations, 1)
            expectEmpty(folder.entryFiles)
        }

        try folder.empty()
        // The removal of an old entry does not remove its successor.
        let cache = makeCache()
        _ = try await cache.store(sampleEntry(), for: key)
        time.advance(by: .seconds(604_860))
        let digest = KeyDigest(of: key)
        // A store has its turn while a reader holds the old entry and waits to remove it.
        try await cache.takeTurn(digest)
        let reader = Task { [key] in try await cache.entry(for: key) }
        while await cache.turns.waiting(for: digest) == 0 { await Task.yield() }
        let entry = sampleEntry(2)
        let front = try required(EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes))
        _ = try cache.files.write(front: front, body: entry.bytes, as: digest, storedAt: TestTime().now.wholeSeconds)
        await cache.passTurn(digest)
        try await expectNil(reader.value)
        expectEqual(folder.entryFiles.count, 1)
        await expectEqual(cache.totalBytes, folder.entryBytes)

        try folder.empty()
        // Entries that are too old are removed, and the rest is kept.
        do {
            let cache = makeCache()
            for number in 0..<250 { _ = try await cache.store(sampleEntry(number), for: CacheKey("old \(number)")) }
            time.advance(by: .seconds(604_860))
            _ = try await cache.store(sampleEntry(), for: key)
            try await expectEqual(cache.removeExpired(), 250)
            await expectEqual(cache.entryCount, 1)
            expectEqual(folder.entryFiles.count, 1)
        }
    }

    @Test func `an entry above an eighth of the limit is refused`() async throws {
        let cache = makeCache(maximumByteCount: 80_000)
        let outcome = try await cache.store(sampleEntry(1, size: 10_000), for: key)
        expectEqual(outcome.error?.code, .tooLarge)
        try await expect(cache.store(sampleEntry(1, size: 9_000), for: key).isStored)
        await expectEqual(cache.statistics.refusals, 1)
        // The header, the key and the metadata count, too: what is stored is found.
        for size in stride(from: 9_400, through: 9_960, by: 40) {
            let key = CacheKey("\(size)")
            let isStored = try await cache.store(sampleEntry(1, size: size), for: key).isStored
            try await expectEqual(cache.entry(for: key)?.bytes.count, isStored ? size : nil)
            try await cache.remove(key)
        }
    }

    @Test func `the cache stays within its limit and keeps used entries`() async throws {
        let cache = makeCache(maximumByteCount: 100_000)
        _ = try await cache.store(sampleEntry(0, size: 1_000), for: key)
        for number in 0..<300 {
            time.advance(by: .seconds(10))
            try await expect(cache.contains(key))
            try await expect(cache.store(sampleEntry(number, size: 1_000), for: CacheKey("\(number)")).isStored)
            expect(folder.entryBytes, <=, 100_000)
        }
        await cache.maintenance?.value
        try await expect(cache.contains(key))
        await expectEqual(cache.totalBytes, folder.entryBytes)
        await expect(cache.totalBytes, <=, 95_000)
        await expect(cache.totalBytes, >, 88_000, "a tenth goes, and what one entry has")
        await expect(cache.statistics.evictions, >, 200)
    }

    @Test func `the cache trims to a size, and empties the folder of entries alone`() async throws {
        let cache = makeCache()
        for number in 0..<220 { _ = try await cache.store(sampleEntry(number), for: CacheKey("\(number)")) }
        try folder.write([1], to: folder.path + "/00/notes.txt")
        try await cache.trim(toBytes: 20_000)
        await expectEqual(cache.totalBytes, folder.entryBytes)
        expect((19_000...20_000).contains(folder.entryBytes))
        try await cache.removeAll()
        await expectEqual(cache.totalBytes, 0)
        expectEmpty(folder.entryFiles)
        expect(FileManager.default.fileExists(atPath: folder.path + "/00/notes.txt"))
    }

    @Test
    func `a cancelled caller changes nothing, and after a shutdown reads miss and stores are refused`() async throws {
        // A cancelled caller gets CancellationError and changes nothing.
        let cache = makeCache()
        let task = Task { [key] in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await expectError(CancellationError.self) { try await cache.store(sampleEntry(), for: key) }
            await expectError(CancellationError.self) { try await cache.entry(for: key) }
            await expectError(CancellationError.self) { try await cache.remove(key) }
        }
        await task.value
        expectEmpty(folder.entryFiles)

        // After a shutdown reads miss and stores are refused.
        do {
            let cache = makeCache()
            _ = try await cache.store(sampleEntry(), for: key)
            let report = await cache.shutdown(within: .seconds(60))
            expectEqual(report.abandonedOperations, 0)
            await expectEqual(cache.shutdown(within: .zero), report)
            try await expectNil(cache.entry(for: key))
            try await expectEqual(cache.store(sampleEntry(), for: key).error?.code, .shutDown)
            try await cache.remove(key)
            try await cache.removeAll()
            expectEqual(folder.entryFiles.count, 1)
            _ = await cache.totalBytes
        }
    }

}
