// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// A cache that watches how short of memory the system is.
struct MemoryWatchTests {
    /// A cache on a clock that the test moves, in a system whose memory it sets.
    private final class Stage: Sendable {
        let executor: SeededExecutor
        let clock = ManualClock()
        let used = Mutex(0.0)
        let room = Mutex<Int?>(nil)
        let told = Journal<MemoryPressure>()
        let samples = Journal<Double>()

        init(seed: UInt64 = 1) { executor = SeededExecutor(seed: seed) }

        func makeCache(_ interval: Duration = .seconds(1)) -> MemoryCache<Int, Int> {
            let watch = MemoryWatch(
                interval: interval, clock: clock,
                sample: { [self] in
                    let part = used.withLock { $0 }
                    samples.write(part)
                    return MemorySample(usedPart: part, room: room.withLock { $0 })
                },
                onChange: { [told] in told.write($0) })
            return MemoryCache(.init(maximumCost: 8_000, maximumCount: 1_000), watch: watch, executor: executor)
        }

        /// Lets the given number of samples be taken while this part of the limit is used.
        func pass(_ count: Int, using part: Double) {
            used.withLock { $0 = part }
            for _ in 0..<count {
                executor.drain()
                clock.advance(by: .seconds(1))
                executor.drain()
            }
        }
    }

    private func fill(_ cache: MemoryCache<Int, Int>) { for key in 0..<800 { cache.store(key, for: key, cost: 10) } }

    @Test func `memory is given back in steps, more while it stays short, and the change is told`() {
        let stage = Stage()
        let cache = stage.makeCache()
        fill(cache)
        stage.pass(1, using: 0.5)
        expectEqual(cache.statistics.cost, 8_000)
        stage.pass(1, using: 0.85)
        expectEqual(cache.statistics.cost, 4_000)
        stage.pass(3, using: 0.85)
        expectEqual(cache.statistics.cost, 4_000)
        fill(cache)
        expectEqual(cache.statistics.cost, 4_000, "later entries obey it, too")
        stage.pass(1, using: 0.95)
        expectEqual(cache.statistics.cost, 1_000)
        stage.pass(1, using: 0.95)
        expectEqual(cache.statistics.cost, 500)
        stage.pass(20, using: 0.95)
        expectEqual(cache.statistics.cost, 0)
        expectEqual(stage.told.entries, [.warning, .critical])
        stage.pass(2 * PressureGauge.calm, using: 0.1)
        expectEqual(stage.told.entries, [.warning, .critical, .warning, .normal])
        fill(cache)
        expectEqual(cache.statistics.cost, 8_000, "its own limit again")
    }

    @Test func `between two samples the cache grows by no more than there is room for`() {
        let stage = Stage()
        stage.room.withLock { $0 = 2_000 }
        let cache = stage.makeCache()
        cache.store(-1, for: -1, cost: 10)
        stage.executor.drain()
        fill(cache)
        expect(cache.statistics.cost <= 2_010 && cache.statistics.cost > 1_900, "from the first store on")
        stage.pass(1, using: 0.5)
        fill(cache)
        expectAll(cache.statistics.cost <= 4_010, cache.statistics.cost > 3_900)
        stage.room.withLock { $0 = -1 }
        stage.pass(1, using: 0.5)
        let held = cache.statistics.cost
        fill(cache)
        expect(cache.statistics.cost, <=, held, "no room, and nothing given back while the level is normal")
        stage.room.withLock { $0 = .max }
        stage.pass(1, using: 0.5)
        fill(cache)
        expectEqual(cache.statistics.cost, 8_000)
    }

    @Test
    func `samples come eight times as often when half of the memory is used, and rest while the cache is empty`() {
        // Samples come eight times as often when half of the memory is used.
        let stage = Stage()
        let cache = stage.makeCache()
        fill(cache)
        for (used, expected) in [(0.4, 1), (0.5, 8), (0.6, 8), (0.4, 1)] {
            // The sample that sees the change comes by the pace before it.
            stage.pass(1, using: used)
            let before = stage.samples.count
            for _ in 0..<8 {
                stage.executor.drain()
                stage.clock.advance(by: .milliseconds(125))
                stage.executor.drain()
            }
            expectEqual(stage.samples.count, before + expected, "used: \(used)")
        }

        // The watch rests while the cache is empty, and starts again.
        do {
            let stage = Stage()
            let cache = stage.makeCache()
            stage.executor.drain()
            expectEqual(stage.clock.sleepers, 0)
            for _ in 0..<3 {
                fill(cache)
                stage.executor.drain()
                expectEqual(stage.clock.sleepers, 1)
                for key in 0..<800 { cache.remove(key) }
                stage.pass(1, using: 0.1)
                expectEqual(stage.clock.sleepers, 0)
            }
            expectEqual(stage.samples.count, 6, "one at once, and one that finds nothing")
        }
    }

    @Test func `each sample removes what is past its end, and the watch rests with the last`() {
        let stage = Stage()
        let cache = stage.makeCache()
        cache.store(1, for: 1, cost: 10, age: .absolute(.zero))
        cache.store(2, for: 2, cost: 10)
        stage.executor.drain()
        expectEqual([cache.statistics.count, stage.clock.sleepers], [1, 1])
        cache.store(2, for: 2, cost: 10, age: .sliding(.zero))
        stage.pass(1, using: 0.1)
        expectEqual([cache.statistics.count, stage.clock.sleepers], [0, 0])
    }

    @Test func `a store in the moment when the watch ends is watched`() async throws {
        for round in 0..<20 {
            let clock = ManualClock()
            let samples = Atomic(0)
            let watch = MemoryWatch(
                clock: clock,
                sample: {
                    samples.add(1, ordering: .relaxed)
                    return MemorySample(usedPart: 0, room: .max)
                })
            let cache = MemoryCache<Int, Int>(.init(maximumCost: 8_000, maximumCount: 1_000), watch: watch)
            cache.store(1, for: 1, cost: 10)
            while clock.sleepers == 0 { await Task.yield() }
            cache.remove(1)
            // The sample finds nothing, and waits for the lock to take its task out of the watcher. The store comes
            // while it waits, or a moment earlier.
            try required(cache.watcher).task.withLock { _ in
                clock.advance(by: .seconds(1))
                while samples.load(ordering: .relaxed) < 2 { sched_yield() }
                for _ in 0..<round * 100 { sched_yield() }
                cache.store(2, for: 2, cost: 10)
            }
            // A store that is not watched leaves nothing that sleeps until the next sample.
            for _ in 0..<100_000 where clock.sleepers == 0 { await Task.yield() }
            expectEqual(clock.sleepers, 1, "round \(round)")
            await cache.stopWatching()
        }
    }

    @Test(arguments: fewerSeeds)
    func `a watch that is stopped, before or after its begin, does not go on, and keeps no cache`(seed: UInt64) async {
        // A watch that is stopped before it has begun does not begin.
        do {
            let stage = Stage(seed: seed)
            let cache = stage.makeCache()
            let stop = Probe(on: stage.executor) { await cache.stopWatching() }
            fill(cache)
            stage.executor.drain()
            expect(!stop.isRunning)
            expectEqual(stage.clock.sleepers, 0)
            stage.pass(2, using: 0.95)
            expectEqual(stage.clock.sleepers, 0)
        }

        // The watch is ended, and later stores do not start it.
        do {
            let stage = Stage()
            let cache = stage.makeCache()
            stage.room.withLock { $0 = 100 }
            cache.store(-1, for: -1, cost: 10)
            stage.executor.drain()
            let stop = Probe(on: stage.executor) { await cache.stopWatching() }
            stage.executor.drain()
            expect(!stop.isRunning)
            fill(cache)
            stage.pass(2, using: 0.95)
            expectEqual([stage.clock.sleepers, stage.samples.count], [0, 1])
            expectEqual(cache.statistics.cost, 8_000, "what a sample has left room for is no limit any more")
        }

        // The watch does not keep the cache.
        let stage = Stage()
        weak var observed: MemoryCache<Int, Int>?
        do {
            let cache = stage.makeCache()
            observed = cache
            fill(cache)
            stage.executor.drain()
            expectEqual(stage.clock.sleepers, 1)
        }
        stage.executor.drain()
        expectNil(observed)
        expectEqual(stage.clock.sleepers, 0)

        // A cache without a watch is told by its owner alone.
        let cache = MemoryCache<Int, Int>(.init(maximumCost: 8_000, maximumCount: 1_000))
        fill(cache)
        await cache.stopWatching()
        await cache.respond(to: .warning)
        expectEqual(cache.statistics.cost, 4_000)
    }

    @Test(arguments: [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)])
    func `the interval may be any time`(interval: Duration) {
        let stage = Stage()
        let cache = stage.makeCache(interval)
        fill(cache)
        stage.pass(1, using: 0.95)
        expectEqual(cache.statistics.cost, (interval > .seconds(1) ? 1_000 : 500))
    }

    /// The hits of a Zipf trace when the cache, full, takes this part of the memory, and the rest of the process half.
    private func hits(whenFull part: Double) -> Int {
        let (stage, zipf) = (Stage(), ZipfTrace(count: 5_000, exponent: 0.9))
        let cache = stage.makeCache()
        var (random, hits) = (SeededGenerator(seed: 1), 0)
        for turn in 0..<60_000 {
            if turn % 500 == 0 { stage.pass(1, using: 0.5 + part * Double(cache.statistics.cost) / 8_000) }
            let key = zipf.next(using: &random)
            if cache.value(for: key) != nil { hits += 1 } else { cache.store(key, for: key, cost: 10) }
        }
        return hits
    }

    @Test func `a cache that would fill the memory gives way and keeps half of its hits`() {
        let (free, warned, short) = (hits(whenFull: 0), hits(whenFull: 0.35), hits(whenFull: 0.6))
        print("hits in 60,000 turns: \(free) without pressure, \(warned) at warning, \(short) at critical pressure")
        expectAll(warned < free, 2 * warned >= free, short < free, 2 * short >= free)
    }
}
