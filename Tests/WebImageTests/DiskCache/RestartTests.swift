// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a cache knows when it begins: the snapshot first, the folder when it has been listed.
@Suite(.replayed)
struct RestartTests {
    private static func key(_ number: Int) -> CacheKey { CacheKey("https://images.example/\(number)") }

    private static func digest(_ number: Int) -> KeyDigest { KeyDigest(of: key(number)) }

    /// A stage with entries, of which some were read, a minute apart. The file of an entry does not tell uses that lie
    /// so close to its store.
    private static func makeStage(
        reading numbers: [Int], of count: Int = 20, seed: UInt64 = 1, faults: FaultPlan = FaultPlan(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> (SeededStage, TestTime) {
        let time = TestTime()
        var stage = try SeededStage(
            seed: seed, maximumByteCount: 1 << 20, time: time, system: faults.system, clock: clock)
        for number in 0..<count {
            _ = stage.outcome { try await $0.store(sampleEntry(number), for: key(number)) }
        }
        for number in numbers {
            time.advance(by: .seconds(60))
            #expect(stage.outcome { try await $0.contains(key(number)) }.value == true)
        }
        return (stage, time)
    }

    private static func shutDown(_ cache: DiskCache, in stage: inout SeededStage) {
        let end = Probe(on: stage.executor) { await cache.shutdown(within: .seconds(60)) }
        stage.run()
        #expect(end.value?.abandonedOperations == 0)
    }

    private func run<Value: Sendable>(
        _ cache: DiskCache, in stage: inout SeededStage,
        _ body: @escaping @concurrent @Sendable (DiskCache) async throws -> Value
    ) throws -> Value {
        let probe = Probe(on: stage.executor) { try await body(cache) }
        stage.run()
        return try #require(probe.result).get()
    }

    private static func index(_ cache: isolated DiskCache) -> DiskIndex { cache.index }

    @Test func `a restart evicts in the order of use, to the second`() throws {
        var random = SeededGenerator(seed: 3)
        let order = (0..<20).shuffled(using: &random)
        var (stage, time) = try Self.makeStage(reading: order)
        Self.shutDown(stage.cache, in: &stage)
        let second = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
        for left in [15, 10, 5] {
            let size = stage.folder.entryBytes / stage.folder.entryFiles.count
            try run(second, in: &stage) { try await $0.trim(toBytes: left * size + left) }
            let kept = Set(order.suffix(stage.folder.entryFiles.count).map { Self.digest($0).fileName })
            #expect(Set(stage.folder.entryFiles.keys.map { ($0 as NSString).lastPathComponent }) == kept)
        }
        #expect(stage.leftovers(of: second) == [])
    }

    @Test func `the index is there before the folder was listed`() throws {
        var (stage, time) = try Self.makeStage(reading: [3])
        Self.shutDown(stage.cache, in: &stage)
        let (known, second) = (
            Journal<DiskCache.Statistics>(), stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
        )
        let listing = Probe(on: stage.executor) { await second.totalBytes }
        let watcher = Probe(on: stage.executor) {
            for _ in 0..<100 { known.write(await second.statistics) }
        }
        stage.run()
        #expect(listing.value == stage.folder.entryBytes && watcher.value != nil)
        let early = known.entries.filter { !$0.isIndexComplete && $0.entryCount > 0 }
        #expect(!early.isEmpty)
        #expect(early.allSatisfy { $0.entryCount == 20 && $0.totalBytes == stage.folder.entryBytes })
    }

    @Test func `a folder that cannot be listed is forgotten, but for what was stored since`() throws {
        for seed in 0..<UInt64(20) {
            let faults = FaultPlan()
            var (stage, time) = try Self.makeStage(reading: [3], seed: seed)
            Self.shutDown(stage.cache, in: &stage)
            faults.set { _, call in call == .list ? .failure(EIO) : nil }
            let second = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time, system: faults.system)
            // While the snapshot is read, which says something else of this entry.
            let stored = try run(second, in: &stage) { cache in
                for _ in 0..<2 * seed { await Task.yield() }
                return try await cache.store(sampleEntry(1, size: 900), for: Self.key(1)).isStored
            }
            #expect(stored)
            #expect(try run(second, in: &stage) { await $0.entryCount } == 1, "seed \(seed)")
            #expect(try run(second, in: &stage) { await $0.totalBytes } > 900, "seed \(seed)")
            #expect(stage.leftovers(of: second) == [], "seed \(seed)")
        }
    }

    @Test func `whatever changed without the snapshot, the listing corrects the index`() throws {
        for seed in 0..<UInt64(20) {
            var (stage, time) = try Self.makeStage(reading: [1, 2], of: 12, seed: seed)
            Self.shutDown(stage.cache, in: &stage)
            let path = stage.folder.path + "/index"
            let old = try stage.folder.read(path)
            // Another cache stores, replaces and removes; then the old snapshot comes back.
            let other = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            try run(other, in: &stage) { cache in
                for number in [1, 20, 21] {
                    _ = try await cache.store(sampleEntry(number, size: 700), for: Self.key(number))
                }
                for number in [2, 3] { try await cache.remove(Self.key(number)) }
            }
            Self.shutDown(other, in: &stage)
            #expect(try stage.folder.read(path) != old)
            try stage.folder.write(old, to: path)
            let third = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            // While the snapshot is read and the folder listed.
            let store = Probe(on: stage.executor) {
                for _ in 0..<2 * seed { await Task.yield() }
                return try await third.store(sampleEntry(4, size: 900), for: Self.key(4)).isStored
            }
            let removal = Probe(on: stage.executor) {
                for _ in 0..<40 - 2 * seed { await Task.yield() }
                try await third.remove(Self.key(5))
            }
            let bytes = try run(third, in: &stage) { await $0.totalBytes }
            #expect(store.value == true && removal.value != nil && bytes > 0, "seed \(seed)")
            let index = try run(third, in: &stage) { await Self.index($0) }
            #expect(index.totalBytes == stage.folder.entryBytes, "seed \(seed)")
            #expect(index.count == 12 + 2 - 2 - 1, "seed \(seed)")
            #expect(index[Self.digest(4)]?.size ?? 0 > 900, "seed \(seed)")
            #expect(stage.leftovers(of: third) == [], "seed \(seed)")
        }
    }

    @Test func `two processes that end one after the other leave the uses of both`() throws {
        var (stage, time) = try Self.makeStage(reading: [])
        let other = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
        _ = try run(other, in: &stage) { await $0.totalBytes }
        time.advance(by: .seconds(60))
        _ = try run(stage.cache, in: &stage) { try await $0.contains(Self.key(1)) }
        time.advance(by: .seconds(60))
        _ = try run(other, in: &stage) { try await $0.contains(Self.key(2)) }
        Self.shutDown(other, in: &stage)
        Self.shutDown(stage.cache, in: &stage)
        let third = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
        _ = try run(third, in: &stage) { await $0.totalBytes }
        let index = try run(third, in: &stage) { await Self.index($0) }
        let uses = [0, 1, 2].map { Int(index[Self.digest($0)]?.usedAt ?? 0) }
        #expect(uses[1] == uses[0] + 60 && uses[2] == uses[0] + 120)
    }

    @Test(arguments: [EIO, ENOSPC])
    func `whichever call fails while the index is saved, nothing is left behind`(number: Int32) throws {
        var (place, isDone) = (0, false)
        while !isDone {
            place += 1
            let faults = FaultPlan()
            var (stage, time) = try Self.makeStage(reading: [3], of: 8, faults: faults)
            let failing = faults.count + place
            faults.set { count, _ in count == failing ? .failure(number) : nil }
            Self.shutDown(stage.cache, in: &stage)
            isDone = faults.count < failing
            let next = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            try expectSound(next, in: &stage, "call \(place)")
        }
        #expect(place > 15, "it makes calls")
    }

    @Test(arguments: [EIO, EMFILE])
    func `whichever call fails while the index is loaded, nothing is lost`(number: Int32) throws {
        for place in 1...30 {
            let faults = FaultPlan()
            var (stage, time) = try Self.makeStage(reading: [3], of: 8)
            Self.shutDown(stage.cache, in: &stage)
            let next = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time, system: faults.system)
            faults.set { count, _ in count == place ? .failure(number) : nil }
            _ = try run(next, in: &stage) { await $0.totalBytes }
            #expect(faults.count > place)
            faults.clear()
            try expectSound(next, in: &stage, "call \(place)")
        }
    }

    private func expectSound(_ cache: DiskCache, in stage: inout SeededStage, _ comment: Comment) throws {
        for number in 0..<8 {
            let found = try run(cache, in: &stage) { try await $0.entry(for: Self.key(number))?.bytes }
            #expect(found == sampleEntry(number).bytes, comment)
        }
        #expect(try run(cache, in: &stage) { await $0.totalBytes } == stage.folder.entryBytes, comment)
        #expect(stage.folder.unfinishedFiles.isEmpty, comment)
        #expect(stage.folder.openDescriptors.isEmpty, comment)
        #expect(stage.leftovers(of: cache) == [], comment)
    }

    @Test func `a shutdown without enough time leaves the earlier snapshot`() throws {
        let clock = ManualClock()
        var (stage, _) = try Self.makeStage(reading: [3], clock: clock)
        let path = stage.folder.path + "/index"
        try stage.folder.write([1, 2, 3], to: path)
        let cache = stage.cache
        let end = Probe(on: stage.executor) { await cache.shutdown(within: .seconds(5)) }
        stage.runWithoutDisk()
        #expect(end.isRunning)
        clock.advance(by: .seconds(5))
        stage.runWithoutDisk()
        #expect(end.value == .init(completedOperations: 0, abandonedOperations: 0))
        // The disk answers later.
        stage.run()
        #expect(try stage.folder.read(path) == [1, 2, 3])
        #expect(stage.folder.unfinishedFiles.isEmpty)
        #expect(stage.folder.openDescriptors.isEmpty)
    }

    @Test func `the index is saved by the clock, and not when little has changed`() throws {
        let (clock, saves) = (ManualClock(), FaultPlan())
        var (stage, _) = try Self.makeStage(reading: [3], of: 600, faults: saves, clock: clock)
        func savesAfterAnHour() -> Int {
            let before = saves.calls.count { $0 == .rename }
            clock.advance(by: .seconds(3_600))
            stage.run()
            return saves.calls.count { $0 == .rename } - before
        }
        #expect(savesAfterAnHour() == 1)
        #expect(savesAfterAnHour() == 0, "nothing has changed")
        _ = stage.outcome { try await $0.contains(Self.key(1)) }
        #expect(savesAfterAnHour() == 0, "one use among 600")
        _ = stage.outcome { try await $0.contains(Self.key(1)) }
        #expect(savesAfterAnHour() == 1)
        #expect(stage.leftovers() == [])
    }

    @Test func `anything in the place of the snapshot is replaced, except a full folder`() throws {
        let outside = try TemporaryFolder(isInMemory: true)
        for obstacle in 0..<4 {
            var (stage, time) = try Self.makeStage(reading: [3])
            let path = stage.folder.path + "/index"
            switch obstacle {
            case 0: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside.path + "/x")
            case 1: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case 2: #expect(unsafe mkfifo(path, 0o600) == 0)
            default: try FileManager.default.createDirectory(atPath: path + "/full", withIntermediateDirectories: true)
            }
            Self.shutDown(stage.cache, in: &stage)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.type] as? FileAttributeType == .typeRegular) == (obstacle < 3), "\(obstacle)")
            let next = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            #expect(try run(next, in: &stage) { await $0.entryCount } == 20)
            #expect(stage.folder.unfinishedFiles.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: outside.path + "/x"))
    }

    @Test func `entries that only a snapshot has make no room beyond what is stored`() throws {
        for seed in 0..<UInt64(20) {
            var (stage, time) = try Self.makeStage(reading: Array(0..<20), seed: seed)
            Self.shutDown(stage.cache, in: &stage)
            // By the snapshot twice as large as the limit, but the newest half is gone.
            let limit = stage.folder.entryBytes / 2
            for number in 10..<20 {
                try FileManager.default.removeItem(atPath: Self.digest(number).path(in: stage.folder.path))
            }
            let second = stage.makeNeighbour(maximumByteCount: limit, time: time)
            let listing = Probe(on: stage.executor) { try await second.contains(Self.key(19)) }
            let isStored = try run(second, in: &stage) { cache in
                for _ in 0..<2 * seed { await Task.yield() }
                return try await cache.store(sampleEntry(30, size: 10), for: Self.key(30)).isStored
            }
            #expect(isStored && listing.value == false, "seed \(seed)")
            #expect(stage.folder.entryFiles.count >= 8, "seed \(seed)")
        }
    }
}
