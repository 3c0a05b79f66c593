// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// A miss asks no thread while the index knows every entry, and no entry of another cache is missed.
@Suite(.replayed)
struct MissTests {
    private static func key(_ number: Int) -> CacheKey { CacheKey("https://images.example/\(number)") }

    /// A cache that has listed a used folder, with an entry.
    private func makeStage(
        _ faults: FaultPlan = FaultPlan(), clock: any Clock<Duration> = ContinuousClock(), readsInMemory: Bool = false
    ) throws -> SeededStage {
        var stage = try SeededStage(
            seed: 1, maximumByteCount: 1 << 24, system: faults.system, clock: clock, readsInMemory: readsInMemory)
        try stage.folder.makeEntryFolders()
        expectEqual(stage.outcome { await $0.totalBytes }.value, 0)
        expectEqual(stage.outcome { try await $0.store(sampleEntry(), for: Self.key(0)).isStored }.value, true)
        return stage
    }

    /// Whether a cache answers a miss while the disk does not answer.
    private func missesAtOnce(_ cache: DiskCache, in stage: inout SeededStage) -> Bool {
        let miss = Probe(on: stage.executor) { try await cache.entry(for: Self.key(-1)) == nil }
        stage.runWithoutDisk()
        defer { stage.run() }
        return miss.value == true
    }

    @Test(arguments: [false, true])
    func `a thousand misses in a used folder queue nothing for the threads`(readsInMemory: Bool) throws {
        let faults = FaultPlan()
        let stage = try makeStage(faults, readsInMemory: readsInMemory)
        let (cache, before) = (stage.cache, faults.count)
        let misses = Probe(on: stage.executor) {
            for number in 1...1_000 where try await cache.entry(for: Self.key(number)) != nil { return false }
            return true
        }
        stage.runWithoutDisk()
        expectEqual(misses.value, true)
        expectEqual(stage.queuedDiskJobs, 0)
        expectEqual(Set(faults.calls.dropFirst(before)).subtracting([.status, .openInMemory]), [])
        var rest = stage
        expectEqual(rest.outcome { await $0.statistics.misses }.value, 1_000)
        expectEqual(rest.outcome { try await $0.entry(for: Self.key(0)) != nil }.value, true)
        expectEqual(rest.leftovers(), [])
    }

    @Test
    func `a cache knows its folder once it is listed: a thread looks before, and for a key that is known`() throws {
        // A cache that begins with a store knows its folder once it is listed.
        for seed in 0..<UInt64(50) {
            var stage = try SeededStage(seed: seed, maximumByteCount: 1 << 24)
            try stage.folder.makeEntryFolders()
            expect(stage.outcome { try await $0.store(sampleEntry(), for: Self.key(0)).isStored }.value == true)
            expect(missesAtOnce(stage.cache, in: &stage), "seed \(seed)")
        }

        // A thread looks before the folder was listed, and for a key that is known.
        var stage = try makeStage()
        let next = stage.makeNeighbour(maximumByteCount: 1 << 24)
        let early = Probe(on: stage.executor) { try await next.entry(for: Self.key(0))?.bytes }
        stage.runWithoutDisk()
        expect(early.isRunning)
        stage.run()
        expectEqual(early.value, sampleEntry().bytes)
        expect(missesAtOnce(next, in: &stage))
        try FileManager.default.removeItem(atPath: next.files.path(of: KeyDigest(of: Self.key(0))))
        expectEqual(stage.outcome { try await $0.entry(for: Self.key(0)) == nil }.value, true)
    }

    @Test func `a store of another cache makes a thread look, until the folder is listed again`() throws {
        let clock = ManualClock()
        var stage = try makeStage(clock: clock)
        let other = stage.makeNeighbour(maximumByteCount: 1 << 24)
        expect(missesAtOnce(stage.cache, in: &stage))
        let store = Probe(on: stage.executor) { try await other.store(sampleEntry(2), for: Self.key(2)).isStored }
        stage.run()
        expectEqual(store.value, true)
        expect(!missesAtOnce(stage.cache, in: &stage))
        expectEqual(stage.outcome { try await $0.entry(for: Self.key(2))?.bytes }.value, sampleEntry(2).bytes)
        // The sweep lists the folder again.
        clock.advance(by: .seconds(3_600))
        stage.run()
        expect(missesAtOnce(stage.cache, in: &stage))
        expectEqual(stage.outcome { try await $0.entry(for: Self.key(2))?.bytes }.value, sampleEntry(2).bytes)
        expectEqual(stage.leftovers(), [])
    }

    @Test func `a store of this cache is no reason to look, also while it is under way`() throws {
        var stage = try makeStage()
        let cache = stage.cache
        let stores = (10..<20).map { number in
            Probe(on: stage.executor) { try await cache.store(sampleEntry(number), for: Self.key(number)).isStored }
        }
        for _ in 0..<100 {
            stage.run(steps: 1)
            expect(missesAtOnce(cache, in: &stage))
        }
        expect(stores.allSatisfy { $0.value == true })
        for number in 10..<20 {
            expectEqual(stage.outcome { try await $0.entry(for: Self.key(number)) != nil }.value, true)
        }
    }

    @Test
    func `a thread looks when the account is not the one of before, and when the folder could not be listed`() throws {
        for harm in ["removed", "replaced", "cut"] {
            var stage = try makeStage()
            let account = stage.folder.path + "/account"
            switch harm {
            case "removed": try FileManager.default.removeItem(atPath: account)
            case "replaced":
                let bytes = try stage.folder.read(account)
                try FileManager.default.removeItem(atPath: account)
                try stage.folder.write(bytes, to: account)
            default: try #require(unsafe truncate(account, 0) == 0)
            }
            expect(!missesAtOnce(stage.cache, in: &stage), "\(harm)")
        }
        let faults = FaultPlan()
        var stage = try makeStage()
        let next = stage.makeNeighbour(maximumByteCount: 1 << 24, system: faults.system)
        let digest = KeyDigest(of: Self.key(0))
        let isFailing = Journal<Void>()
        faults.set { _, call in
            guard call == .list else { return nil }
            isFailing.write(())
            // The first two are of unfinished files and of the cache's folder.
            return isFailing.count == 3 + digest.folderNumber ? .failure(EIO) : nil
        }
        let listing = Probe(on: stage.executor) { await next.entryCount }
        stage.run()
        expectEqual(listing.value, 0)
        expect(!missesAtOnce(next, in: &stage))
        let read = Probe(on: stage.executor) { try await next.entry(for: Self.key(0))?.bytes }
        stage.run()
        expectEqual(read.value, sampleEntry().bytes)
    }

    @Test(arguments: Seeds.first(75))
    func `nothing that another cache has stored is missed, whatever the order of their steps`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock()
        var stage = try SeededStage(seed: seed, maximumByteCount: 1 << 24, clock: clock)
        try stage.folder.makeEntryFolders()
        let (first, second) = (stage.cache, stage.makeNeighbour(maximumByteCount: 1 << 24))
        // The second cache may have stored before the first one lists, or after.
        if Bool.random(using: &random) { _ = stage.outcome { await $0.totalBytes } }
        let delays = (0..<6).map { _ in Int.random(in: 0..<120, using: &random) }
        let missed = Journal<Int>()
        let pairs = [(0, first, second), (1, first, second), (2, second, first), (3, first, second)]
        let probes = pairs.map { number, reader, writer in
            Probe(on: stage.executor) {
                for turn in 0..<6 {
                    for _ in 0..<delays[(number + turn) % 6] { await Task.yield() }
                    let key = Self.key(100 * number + turn)
                    let entry = sampleEntry(turn)
                    // It looks before, and at some time during the store.
                    guard try await reader.entry(for: key) == nil else { return false }
                    async let early = reader.entry(for: key)
                    guard try await writer.store(entry, for: key).isStored else { return false }
                    if try await reader.entry(for: key)?.bytes != entry.bytes { missed.write(number) }
                    _ = try await early
                }
                return true
            }
        }
        for _ in 0..<4 {
            stage.run(steps: .random(in: 50..<400, using: &random))
            // The first cache lists again.
            clock.advance(by: .seconds(3_600))
        }
        stage.run()
        expect(probes.allSatisfy { $0.value == true })
        expectEqual(missed.entries, [])
        expectEqual(stage.leftovers(), [])
        expectEqual(stage.leftovers(of: second), [])
    }
}
