// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.timeLimit(.minutes(1))) struct WriteBehindTests {
    @Test(arguments: seeds) func `the newest content of a key stays`(seed: UInt64) throws {
        let scenario = try WriteBehindScenario(seed: seed)
        let delays = (1...5).map { _ in Int.random(in: 0...3, using: &scenario.random) }
        let pauses = (1...5).map { _ in Int.random(in: 0...6, using: &scenario.random) }
        _ = scenario.start { writes in
            for number in 1...5 {
                await writes.submit(for: CacheKey("key"), byteCount: 0) {
                    // Made in more or fewer steps, so that an older content may be ready later.
                    for _ in 0..<delays[number - 1] { await Task.yield() }
                    return sampleEntry(number)
                }
                for _ in 0..<pauses[number - 1] { await Task.yield() }
            }
        }
        scenario.stage.run()
        expectEqual(scenario.stored(CacheKey("key")), sampleEntry(5).bytes)
        expectEqual([scenario.look { await $0.pendingCount }, scenario.look { await $0.droppedCount }], [0, 0])
    }

    @Test(arguments: seeds)
    func `a write that is overtaken is not made, and one that fails or comes late is counted`(seed: UInt64) throws {
        // A write that newer content has overtaken is not made, and not counted as dropped.
        let scenario = try WriteBehindScenario(seed: seed)
        for isCurrent in [true, false] {
            _ = scenario.start {
                await $0.submit(for: CacheKey("\(isCurrent)"), byteCount: 0, if: { isCurrent }) { sampleEntry(1) }
            }
        }
        scenario.stage.run()
        expect(scenario.stored(CacheKey("true")) != nil)
        expectNil(scenario.stored(CacheKey("false")))
        #expect(scenario.look { await ($0.droppedCount, $0.pendingCount, $0.entryCount) } ?? (1, 1, 1) == (0, 0, 0))

        // A write that fails is counted and does not stop the next one.
        do {
            struct Broken: Error {}
            let scenario = try WriteBehindScenario(seed: seed)
            _ = scenario.look { await $0.submit(for: CacheKey("key"), byteCount: 0) { throw Broken() } }
            scenario.stage.run()
            _ = scenario.look { await $0.submit(for: CacheKey("key"), byteCount: 0) { sampleEntry(2) } }
            scenario.stage.run()
            expectEqual(scenario.stored(CacheKey("key")), sampleEntry(2).bytes)
            expectEqual(scenario.look { await $0.droppedCount }, 1)
        }

        // A write, or a change, that the store refuses is counted.
        do {
            let refusing = try WriteBehindScenario(seed: seed)
            _ = refusing.look { await $0.submit(for: CacheKey("1"), byteCount: 0) { sampleEntry(1) } }
            refusing.stage.run()
            _ = refusing.look { await $0.submit(for: CacheKey("2"), byteCount: 0) { sampleEntry(1, size: 5_001) } }
            _ = refusing.look {
                await $0.renew(CacheKey("1"), ifContentIs: nil) { $0.etag = String(repeating: "x", count: 5_001) }
            }
            refusing.stage.run()
            expectEqual(refusing.look { await $0.droppedCount }, 2)
            _ = refusing.look { await $0.renew(CacheKey("2"), ifContentIs: nil) { $0.etag = "nothing to change" } }
            refusing.stage.run()
            expectEqual(refusing.look { await $0.droppedCount }, 2)
        }

        // After the close a write is refused and counted.
        do {
            let scenario = try WriteBehindScenario(seed: seed)
            _ = scenario.look { await $0.close() }
            _ = scenario.look { await $0.submit(for: CacheKey("key"), byteCount: 0) { sampleEntry(1) } }
            scenario.stage.run()
            expectNil(scenario.stored(CacheKey("key")))
            expectEqual(scenario.look { await $0.droppedCount }, 1)
        }
    }

    @Test(arguments: seeds) func `a write that does not wait is refused beyond the limit, and told`(seed: UInt64) throws
    {
        let (dropped, warnings) = (Journal<CacheKey>(), WarningLog())
        let scenario = try WriteBehindScenario(
            seed: seed, room: 3, onDrop: { dropped.write($0) }, onWarning: { warnings.append($0) })
        var taken: [Bool?] = []
        for number in 1...5 {
            let key = CacheKey("\(number)")
            taken.append(scenario.look { await $0.submitIfRoom(for: key, byteCount: 0) { sampleEntry(number) } })
        }
        expectEqual(taken, [true, true, true, false, false])
        expectEqual([scenario.look { await $0.pendingCount }, scenario.look { await $0.droppedCount }], [3, 2])
        expectEqual(dropped.entries, [CacheKey("4"), CacheKey("5")])
        expectEqual(warnings.codes, [.overloaded], "one warning for all of them")
        scenario.stage.run()
        expectEqual(scenario.stored(CacheKey("3")), sampleEntry(3).bytes)
        expectNil(scenario.stored(CacheKey("4")))
        let isTaken = scenario.look {
            await $0.submitIfRoom(for: CacheKey("4"), byteCount: 0) { sampleEntry(4) }
        }
        expectEqual(isTaken, true, "there is room again")
        scenario.stage.run()
        expectEqual(scenario.stored(CacheKey("4")), sampleEntry(4).bytes)
        for number in 1...5 {
            _ = scenario.look { await $0.submitIfRoom(for: CacheKey("\(number)"), byteCount: 0) { sampleEntry(1) } }
        }
        expectEqual(warnings.codes, [.overloaded, .overloaded], "the writes had caught up")
        scenario.stage.run()
        #expect(scenario.look { await ($0.pendingByteCount, $0.entryCount) } ?? (1, 1) == (0, 0))
    }

    @Test(arguments: seeds) func `draining waits for the writes submitted before and meanwhile`(seed: UInt64) throws {
        let scenario = try WriteBehindScenario(seed: seed)
        _ = scenario.look { await $0.submit(for: CacheKey("1"), byteCount: 0) { sampleEntry(1) } }
        let drain = scenario.start { await $0.drain() }
        scenario.stage.runWithoutDisk()
        expect(drain.isRunning)
        _ = scenario.look { await $0.submit(for: CacheKey("2"), byteCount: 0) { sampleEntry(2) } }
        scenario.stage.run()
        expect(!drain.isRunning)
        expectAll(scenario.stored(CacheKey("1")) != nil, scenario.stored(CacheKey("2")) != nil)
    }

    @Test(arguments: seeds) func `abandoning ends the wait although the disk does not answer`(seed: UInt64) throws {
        let scenario = try WriteBehindScenario(seed: seed)
        for number in 1...4 {
            let key = CacheKey("\(number % 2)")
            _ = scenario.look { await $0.submit(for: key, byteCount: 0) { sampleEntry(number) } }
        }
        let drain = scenario.start { await $0.drain() }
        scenario.stage.runWithoutDisk()
        expect(drain.isRunning)
        _ = scenario.look { await $0.close() }
        _ = scenario.look { await $0.abandon() }
        expect(!drain.isRunning)
        let later = scenario.start { await $0.drain() }
        scenario.stage.runWithoutDisk()
        expect(!later.isRunning)
        scenario.stage.run()
        expectEqual(scenario.look { await $0.pendingCount }, 0)
        let dropped = scenario.look { await $0.droppedCount } ?? 0
        let stored = scenario.stage.outcome { await $0.statistics.stores }.value ?? 0
        expect(dropped >= 2 && dropped + stored == 4, "each is counted, and the two that waited as dropped")
    }
}
