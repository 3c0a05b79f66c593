// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The sweep of entries that are too old, by the clock.
struct SweepTests {
    private static func store(_ numbers: Range<Int>, in stage: inout SeededStage) {
        for number in numbers {
            _ = stage.outcome { try await $0.store(sampleEntry(number), for: CacheKey("\(number)")) }
        }
    }

    @Test
    func `entries that are too old go by the clock, also those that a listing finds, and the sweep ends with the last`()
        throws
    {
        // Entries that are too old go by the clock, and the sweep ends with the last.
        let (clock, time) = (ManualClock(), TestTime())
        var stage = try SeededStage(seed: 1, maximumByteCount: 1 << 20, time: time, clock: clock)
        _ = stage.outcome { try await $0.entry(for: CacheKey("0")) }
        expectEqual(clock.sleepers, 0, "nothing is stored")
        Self.store(0..<150, in: &stage)
        expectEqual(clock.sleepers, 1)
        time.advance(by: .seconds(4 * 86_400))
        Self.store(150..<160, in: &stage)
        time.advance(by: .seconds(4 * 86_400))
        clock.advance(by: .seconds(3_599))
        stage.run()
        expectEqual(stage.folder.entryFiles.count, 160)
        clock.advance(by: .seconds(1))
        stage.run()
        expectEqual(stage.folder.entryFiles.count, 10)
        expectEqual(clock.sleepers, 1, "for those that are left")
        time.advance(by: .seconds(4 * 86_400))
        clock.advance(by: .seconds(3_600))
        stage.run()
        expectEmpty(stage.folder.entryFiles)
        expectEqual([clock.sleepers, stage.outcome { await $0.statistics.expirations }.value], [0, 160])
        expectEqual(stage.leftovers(), [])
        Self.store(0..<1, in: &stage)
        expectEqual(clock.sleepers, 1, "a new one")

        // What a listing finds is swept, too.
        do {
            let (clock, time) = (ManualClock(), TestTime())
            var stage = try SeededStage(seed: 1, time: time, clock: clock)
            let neighbour = stage.makeNeighbour(maximumByteCount: 40_000, time: time)
            _ = Probe(on: stage.executor) { try await neighbour.store(sampleEntry(), for: CacheKey("k")) }
            stage.run()
            _ = stage.outcome { await $0.totalBytes }
            expectEqual(clock.sleepers, 1)
            time.advance(by: .seconds(8 * 86_400))
            clock.advance(by: .seconds(3_600))
            stage.run()
            expectEmpty(stage.folder.entryFiles)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `the sweep can be switched off, and does not keep the cache`(interval: Duration) throws {
        // The sweep can be switched off.
        let clock = ManualClock()
        var stage = try SeededStage(seed: 1, clock: clock, sweepInterval: interval)
        Self.store(0..<3, in: &stage)
        expectEqual(clock.sleepers, 0)

        // The sweep does not keep the cache.
        do {
            let clock = ManualClock()
            let executor = SeededExecutor(seed: 1)
            let folder = try TemporaryFolder(isInMemory: true)
            weak var observed: DiskCache?
            do {
                let cache = DiskCache(
                    .init(folder: folder.path, clock: clock),
                    pool: WorkerPool(name: "disk", width: 1, maximumQueueLength: 10, executor: executor),
                    system: FileSystem(),
                    executor: executor)
                observed = cache
                let store = Probe(on: executor) { try await cache.store(sampleEntry(), for: CacheKey("k")) }
                executor.drain()
                expectEqual(store.value?.isStored, true)
                expectEqual(clock.sleepers, 1)
            }
            executor.drain()
            expectNil(observed)
            expectEqual(clock.sleepers, 0)
        }
    }

    @Test(arguments: [(FileSystem.Call.open, EMFILE), (.read, EIO)])
    func `a sweep keeps the entries that it cannot look at`(call: FileSystem.Call, number: Int32) throws {
        let (faults, time, warnings) = (FaultPlan(), TestTime(), WarningLog())
        var stage = try SeededStage(seed: 1, time: time, warnings: warnings, system: faults.system)
        let key = CacheKey("lasting")
        var lasting = sampleEntry()
        lasting.metadata.age = .never
        _ = stage.outcome { [lasting] in try await $0.store(lasting, for: key) }
        Self.store(0..<1, in: &stage)
        time.advance(by: .seconds(8 * 86_400))
        // It knows no age, as after a restart.
        _ = stage.outcome { await $0.listAnew() }
        faults.set { _, other in other == call ? .failure(number) : nil }
        expectEqual(stage.outcome { try await $0.removeExpired() }.value, 0)
        expectEqual([stage.folder.entryFiles.count, warnings.codes.count], [2, 1])
        faults.clear()
        expectEqual(stage.outcome { try await $0.removeExpired() }.value, 1)
        expectEqual(stage.outcome { try await $0.contains(key) }.value, true)
        expectEqual(stage.leftovers(), [])
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `an entry that is stored while the sweep looks at the earlier one stays, and is counted`(seed: UInt64) throws {
        let time = TestTime()
        var stage = try SeededStage(seed: seed, maximumByteCount: 1 << 20, time: time)
        let (cache, keys) = (stage.cache, [CacheKey("old"), CacheKey("lasting")])
        for key in keys {
            var entry = sampleEntry()
            if key == keys[1] { entry.metadata.age = .never }
            _ = stage.outcome { [entry] in try await $0.store(entry, for: key) }
        }
        // It knows no age, as after a restart.
        _ = stage.outcome { await $0.listAnew() }
        time.advance(by: .seconds(8 * 86_400))
        let sweep = Probe(on: stage.executor) { try await cache.removeExpired() }
        let stores = keys.map { key in
            Probe(on: stage.executor) {
                for _ in 0..<seed % 20 { await Task.yield() }
                return try await cache.store(sampleEntry(9, size: 700), for: key).isStored
            }
        }
        stage.run()
        expectAll(sweep.value != nil, stores.allSatisfy { $0.value == true })
        expectEqual(stage.outcome { await $0.index.totalBytes }.value, stage.folder.entryBytes)
        for key in keys {
            let found = stage.outcome { try await $0.entry(for: key)?.bytes }
            expectEqual(found.value, sampleEntry(9, size: 700).bytes)
        }
        expectEqual(stage.leftovers(), [])
    }

    @Test(arguments: [false, true]) func `a shutdown ends the sweep, also in its midst`(isSweeping: Bool) throws {
        let (clock, time) = (ManualClock(), TestTime())
        var stage = try SeededStage(seed: 1, time: time, clock: clock)
        Self.store(0..<150, in: &stage)
        if isSweeping {
            time.advance(by: .seconds(8 * 86_400))
            clock.advance(by: .seconds(3_600))
            stage.run(steps: 12)
        }
        let report = stage.outcome { await $0.shutdown(within: .seconds(5)) }
        expectEqual(report.value?.abandonedOperations, 0)
        expectEqual(clock.sleepers, 0)
        expectEqual(stage.outcome { await $0.sweeper == nil }.value, true)
        expectEqual(stage.executor.pending, 0)
    }
}

extension DiskCache {
    /// Forgets the index and lists the folder, as a new process does.
    fileprivate func listAnew() async {
        index = DiskIndex()
        _ = await listFolder()
    }
}
