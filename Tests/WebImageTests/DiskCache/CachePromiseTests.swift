// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The counters and tables of a cache are empty after every way in which an operation can end.
struct CachePromiseTests {
    private let key = CacheKey("https://images.example/1.png")

    @Test func `the bytes of a store that is cancelled while it waits for its turn are given back`() throws {
        var stage = try SeededStage(seed: 1)
        let (cache, executor, key) = (stage.cache, stage.executor, self.key)
        _ = stage.outcome { try await $0.takeTurn(KeyDigest(of: key)) }
        let store = Probe(on: executor) { try await cache.store(sampleEntry(), for: key) }
        stage.run()
        expect(store.isRunning)
        expectEqual(stage.outcome { await $0.pendingBytes }.value, 0, "it writes nothing yet")
        store.cancel()
        stage.run()
        expect(store.wasCancelled)
        _ = stage.outcome { await $0.passTurn(KeyDigest(of: key)) }
        expectEqual(stage.leftovers(), [])
    }

    @Test func `a shutdown finishes the trim of what was stored, within its time`() throws {
        for isInTime in [true, false] {
            let clock = ManualClock()
            var stage = try SeededStage(seed: 1, clock: clock)
            let (cache, executor, key) = (stage.cache, stage.executor, self.key)
            let neighbour = stage.makeNeighbour(maximumByteCount: 400_000)
            let filling = Probe(on: executor) {
                for number in 0..<60 {
                    _ = try await neighbour.store(sampleEntry(size: 1_000), for: CacheKey("\(number)"))
                }
            }
            stage.run()
            expect(filling.value != nil)
            let store = Probe(on: executor) { try await cache.store(sampleEntry(), for: key) }
            stage.runWithoutDisk()
            let shutdown = Probe(on: executor) { await cache.shutdown(within: .seconds(5)) }
            stage.runWithoutDisk()
            while store.isRunning { stage.run(steps: 1) }
            expect(shutdown.isRunning, "the folder is not listed yet")
            if !isInTime { clock.advance(by: .seconds(5)) }
            stage.run()
            expectEqual(shutdown.value, .init(completedOperations: 1, abandonedOperations: 0))
            expectEqual((stage.folder.entryBytes <= 38_000), isInTime, "the next cache does the rest")
            expectEqual(clock.sleepers, 0)
        }
    }

    @Test(arguments: [false, true])
    func `a shutdown leaves no task, whether the operations or the time end first`(isInTime: Bool) throws {
        let clock = ManualClock()
        var stage = try SeededStage(seed: 1, clock: clock)
        let (cache, executor, key) = (stage.cache, stage.executor, self.key)
        let store = Probe(on: executor) { try await cache.store(sampleEntry(), for: key) }
        stage.runWithoutDisk()
        let shutdown = Probe(on: executor) { await cache.shutdown(within: .seconds(5)) }
        stage.runWithoutDisk()
        expectEqual(clock.sleepers, 1)
        if !isInTime { clock.advance(by: .seconds(5)) }
        stage.run()
        expectEqual(store.value?.isStored, true)
        let counts = (completed: isInTime ? 1 : 0, abandoned: isInTime ? 0 : 1)
        expectEqual(
            shutdown.value, .init(completedOperations: counts.completed, abandonedOperations: counts.abandoned))
        expectEqual([clock.sleepers, executor.pending], [0, 0])
        expectEqual(stage.leftovers(), [])
    }
}
