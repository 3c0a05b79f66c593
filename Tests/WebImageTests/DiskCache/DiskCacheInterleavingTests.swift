// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Operations on the same keys in orders that the seeds choose.
struct DiskCacheInterleavingTests {
    /// Keys in folders that are listed first, while the operations run.
    private static let keys: [CacheKey] = (0..<1_000).map { CacheKey("\($0)") }
        .filter { EntryFiles.entryFolders[..<8].contains(KeyDigest(of: $0).folder) }

    @Test(arguments: [(150, false, false), (150, true, false), (30, true, true)])
    func `stores, reads, removals and a trim of the same keys end with a right account`(
        seeds: UInt64, isListedBefore: Bool, readsInMemory: Bool
    ) throws {
        for seed in 0..<seeds {
            var stage = try SeededStage(seed: seed, readsInMemory: readsInMemory)
            let (cache, executor) = (stage.cache, stage.executor)
            if isListedBefore { _ = stage.outcome { await $0.totalBytes } }
            var probes = (1...12).map { number in
                Probe(on: executor) { try await Self.operate(number, on: cache) }
            }
            if seed % 2 == 0 {
                probes.append(
                    Probe(on: executor) {
                        try await cache.trim(toBytes: 1_000)
                        return true
                    })
            }
            // One of the stores is cancelled at some step; it stores or it does not.
            stage.run(steps: Int(seed % 80))
            probes[1].cancel()
            stage.run()
            for probe in probes { expect(probe.value == true || probe.wasCancelled, "seed \(seed)") }
            expectEqual(stage.leftovers(), [], "seed \(seed)")
            expectEqual(stage.outcome { await $0.totalBytes }.value, stage.folder.entryBytes, "seed \(seed)")
            expectEmpty(stage.folder.unfinishedFiles, "seed \(seed)")
        }
    }

    /// Whether the result of an operation is allowed.
    @concurrent private static func operate(_ number: Int, on cache: DiskCache) async throws -> Bool {
        let key = keys[number % 3]
        switch number % 4 {
        case 0:
            try await cache.remove(key)
            return true
        case 1:
            guard let found = try await cache.entry(for: key) else { return true }
            return (1...12).contains { sampleEntry($0, size: 100 * $0).bytes == found.bytes }
        default:
            return try await cache.store(sampleEntry(number, size: 100 * number), for: key).isStored
        }
    }

    /// The operations of another process on the same folder.
    private static func storeElsewhere(_ entry: DiskEntry, for key: CacheKey, in files: EntryFiles) throws {
        var entry = entry
        entry.metadata.storedAt = TestTime().now.components.seconds
        let front = try required(EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes))
        _ = try files.write(
            front: front, body: entry.bytes, as: KeyDigest(of: key), storedAt: TestTime().now.wholeSeconds)
        _ = FolderAccount(files, maximumByteCount: 1 << 20).add(entry.bytes.count)
    }

    @Test
    func `a read of a file that another process has changed corrects the account, also during the listing`() throws {
        for seed in 0..<UInt64(300) {
            var stage = try SeededStage(seed: seed)
            let (cache, key) = (stage.cache, Self.keys[0])
            _ = stage.outcome { await $0.totalBytes }
            let reader = Probe(on: stage.executor) {
                if seed % 3 == 0 { _ = try await cache.store(sampleEntry(2, size: 50), for: key) }
                try Self.storeElsewhere(sampleEntry(1, size: 10), for: key, in: cache.files)
                _ = try await cache.entry(for: key)
                for _ in 0..<seed % 5 { await Task.yield() }
                if seed % 2 == 0 {
                    _ = try cache.files.remove(KeyDigest(of: key), onlyIf: nil)
                } else {
                    try Self.storeElsewhere(sampleEntry(1, size: 2_000), for: key, in: cache.files)
                }
                return try await cache.entry(for: key)?.bytes.count ?? 0
            }
            stage.run()
            expectEqual(reader.value, (seed % 2 == 0 ? 0 : 2_000), "seed \(seed)")
            expectEqual(stage.leftovers(), [], "seed \(seed)")
            expectEqual(stage.outcome { await $0.totalBytes }.value, stage.folder.entryBytes, "seed \(seed)")
        }

        // A read during the listing of a file that another process has changed corrects the account.
        for seed in 0..<UInt64(300) {
            var stage = try SeededStage(seed: seed)
            let (cache, key) = (stage.cache, Self.keys[0])
            // Entries in other folders, so that the listing takes a while.
            for key in [key] + (0..<12).map({ CacheKey("other \($0)") }) {
                try Self.storeElsewhere(sampleEntry(1, size: 10), for: key, in: cache.files)
            }
            let listing = Probe(on: stage.executor) { await cache.totalBytes }
            let reader = Probe(on: stage.executor) {
                for _ in 0..<seed % 20 { await Task.yield() }
                try Self.storeElsewhere(sampleEntry(1, size: 2_000), for: key, in: cache.files)
                return try await cache.entry(for: key)?.bytes.count
            }
            stage.run()
            expect(listing.value != nil && reader.value == 2_000, "seed \(seed)")
            expectEqual(stage.leftovers(), [], "seed \(seed)")
            expectEqual(stage.outcome { await $0.totalBytes }.value, stage.folder.entryBytes, "seed \(seed)")
        }
    }

    @Test func `the maintenance task does not run while an entry is read again and again`() throws {
        let busy = Journal<Bool>()
        for seed in 0..<UInt64(5) {
            var stage = try SeededStage(seed: seed)
            let (cache, executor, key) = (stage.cache, stage.executor, Self.keys[0])
            _ = stage.outcome { await $0.totalBytes }
            let readers = (0..<24).map { _ in
                Probe(on: executor) {
                    for number in 0..<100 {
                        if number == 10 { _ = try await cache.store(sampleEntry(1, size: 200), for: key) }
                        _ = try await cache.entry(for: key)
                        busy.write(await cache.maintenance != nil)
                    }
                }
            }
            stage.run()
            expect(readers.allSatisfy { $0.value != nil })
        }
        // Every tenth read at most; it was every second one when each look made the next.
        expect(busy.count(of: true), <, busy.count / 10)
    }

    @Test func `changes of one key wait for each other, those of other keys and reads do not`() throws {
        var stage = try SeededStage(seed: 1)
        let (cache, executor) = (stage.cache, stage.executor)
        let (key, other) = (Self.keys[0], Self.keys[1])
        _ = stage.outcome { try await $0.takeTurn(KeyDigest(of: key)) }
        let store = Probe(on: executor) { try await cache.store(sampleEntry(), for: key).isStored }
        let removal = Probe(on: executor) { try await cache.remove(key) }
        let cancelled = Probe(on: executor) { try await cache.remove(key) }
        expectEqual(stage.outcome { try await $0.store(sampleEntry(), for: other).isStored }.value, true)
        expectEqual(stage.outcome { try await $0.entry(for: key) == nil }.value, true)
        expectAll(stage.outcome { try await $0.trim(toBytes: 0) }.value != nil, store.isRunning)
        expect(removal.isRunning)
        cancelled.cancel()
        stage.run()
        expect(cancelled.wasCancelled)
        _ = stage.outcome { await $0.passTurn(KeyDigest(of: key)) }
        expectEqual(store.value, true)
        expect(removal.value != nil)
        expectEqual(stage.leftovers(), [])
    }

    @Test func `a shutdown waits for the stores that run, and refuses the others`() throws {
        var refusals = 0
        for seed in 0..<UInt64(300) {
            var stage = try SeededStage(seed: seed, clock: ManualClock())
            let (cache, executor) = (stage.cache, stage.executor)
            let stores = (0..<6).map { number in
                Probe(on: executor) { try await cache.store(sampleEntry(number), for: CacheKey("\(number % 2)")) }
            }
            stage.run(steps: Int(seed % 60))
            let shutdowns = (0..<2).map { _ in
                Probe(on: executor) { await cache.shutdown(within: .seconds(1)) }
            }
            stage.run()
            expectEqual(shutdowns[0].value?.abandonedOperations, 0, "seed \(seed)")
            expectEqual(shutdowns[0].value, shutdowns[1].value, "seed \(seed)")
            expectEqual(stage.leftovers(), [], "seed \(seed)")
            for store in stores {
                let outcome = try required(store.value, "seed \(seed)")
                expect(outcome.isStored || outcome.error?.code == .shutDown, "seed \(seed)")
                if !outcome.isStored { refusals += 1 }
            }
            let anyStored = stores.contains { $0.value?.isStored == true }
            expect(stage.folder.entryFiles.isEmpty != anyStored, "seed \(seed)")
            expectEmpty(stage.folder.unfinishedFiles, "seed \(seed)")
            expectEqual(stage.outcome { try await $0.entry(for: CacheKey("0")) == nil }.value, true, "seed \(seed)")
        }
        // Both kinds must have occurred; otherwise the seeds show nothing.
        expect((1..<1_800).contains(refusals))
    }

    @Test func `removeAll removes entries that are being written or read, too`() throws {
        for seed in 0..<UInt64(100) {
            var stage = try SeededStage(seed: seed)
            let (cache, executor, folder) = (stage.cache, stage.executor, stage.folder)
            for (number, key) in Self.keys.prefix(3).enumerated() {
                _ = stage.outcome { try await $0.store(sampleEntry(number), for: key) }
            }
            // As an operation on the key has it until it is over.
            let digest = KeyDigest(of: Self.keys[Int(seed % 3)])
            _ = stage.outcome { try await $0.takeTurn(digest) }
            let removal = Probe(on: executor) { try await cache.removeAll() }
            let reader = Probe(on: executor) { try await cache.entry(for: Self.keys[Int(seed % 2)]) }
            stage.run()
            expect(removal.isRunning && folder.entryFiles.count == 1, "seed \(seed)")
            _ = stage.outcome { await $0.passTurn(digest) }
            expect(removal.value != nil && !reader.isRunning && folder.entryFiles.isEmpty, "seed \(seed)")
            expectEqual(stage.outcome { await $0.totalBytes }.value, 0)
            expectEqual(stage.leftovers(), [], "seed \(seed)")
        }
    }
}
