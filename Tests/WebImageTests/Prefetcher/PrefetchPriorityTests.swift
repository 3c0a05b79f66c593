// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct PrefetchPriorityTests {
    /// Many more loads at once than the downloader allows.
    private static func burst(_ seed: UInt64) -> PrefetchScenario {
        var configuration = ImagePrefetcher.Configuration()
        configuration.maximumConcurrentLoads = 40
        return PrefetchScenario(seed: seed, configuration, downloads: 2)
    }

    @Test(arguments: seeds)
    func `a burst of prefetching delays an urgent load by one slot at most, and later ones not at all`(seed: UInt64) {
        // A burst of prefetching delays an urgent load by one slot at most.
        let scenario = Self.burst(seed)
        let token = scenario.start(Array(100..<140))
        expectEqual(scenario.transport.held.count, 2, "both slots are taken, 38 loads wait")
        let urgent = scenario.base.load(7, priority: .high)
        scenario.executor.drain()
        expectEqual(scenario.transport.asked.count, 2)
        scenario.transport.release()
        scenario.executor.drain()
        expectEqual(scenario.transport.asked.last, 7, "the first slot to come free is the urgent one's")
        scenario.transport.release(7)
        scenario.executor.drain()
        expectAll(urgent.value != nil, token?.progress.endedCount == 1)
        // The pictures of the burst would take most of the time, so only every tenth seed loads all of them.
        if seed.isMultiple(of: 10) {
            scenario.transport.open()
        } else if let token {
            let prefetcher = scenario.prefetcher
            scenario.base.run { await prefetcher.stop(token) }
        }
        scenario.executor.drain()
        expectEqual(token?.progress.isOver, true)
        expectEqual(token?.progress.finishedCount, (seed.isMultiple(of: 10) ? 40 : 1))

        // Urgent loads that arrive all the time never wait for a prefetch.
        do {
            let scenario = Self.burst(seed)
            let token = scenario.start(Array(100..<110))
            let urgent = (0..<6).map { number in
                let load = scenario.base.load(number, priority: .high)
                scenario.executor.drain()
                return load
            }
            for _ in 0..<6 {
                scenario.transport.release()
                scenario.executor.drain()
            }
            expect(scenario.transport.asked.prefix(2).allSatisfy { $0 >= 100 })
            expectEqual(scenario.transport.asked.dropFirst(2).prefix(6), [0, 1, 2, 3, 4, 5])
            scenario.transport.open()
            scenario.executor.drain()
            expectAll(urgent.allSatisfy { $0.value != nil }, token?.progress.finishedCount == 10)
        }
    }

    @Test(arguments: seeds) func `a load of a picture that waits for its prefetch moves it forward`(seed: UInt64) {
        let scenario = Self.burst(seed)
        let token = scenario.start(Array(100..<120))
        let waiting = (100..<120).last { !scenario.transport.held.contains($0) } ?? 0
        let urgent = scenario.base.load(waiting, priority: .high)
        scenario.executor.drain()
        scenario.transport.release()
        scenario.executor.drain()
        expectEqual(scenario.transport.asked.last, waiting)
        scenario.transport.open()
        scenario.executor.drain()
        expectAll(urgent.value != nil, token?.progress.finishedCount == 20)
        expectEqual(scenario.transport.asked.count, 20, "and shares the transfer")
    }

    @Test(arguments: seeds) func `waiting for a list does not make it urgent`(seed: UInt64) {
        let scenario = Self.burst(seed)
        let prefetcher = scenario.prefetcher
        let caller = Probe(on: scenario.executor, priority: .high) {
            await prefetcher.prefetch(
                (100..<110).map { number in
                    var request = ImageRequest.numbered(number)
                    request.priority = .veryHigh
                    return request
                })
        }
        scenario.executor.drain()
        let person = scenario.base.load(7)
        scenario.executor.drain()
        scenario.transport.release()
        scenario.executor.drain()
        expectEqual(scenario.transport.asked.last, 7)
        scenario.transport.open()
        scenario.executor.drain()
        expectAll(person.value != nil, caller.value?.progress.finishedCount == 10)
    }

    @Test(arguments: fewerSeeds) func `a priority that is changed counts for running and for later loads`(seed: UInt64)
    {
        var configuration = ImagePrefetcher.Configuration()
        configuration.maximumConcurrentLoads = 2
        let scenario = PrefetchScenario(seed: seed, configuration, downloads: 1)
        _ = scenario.start([100, 101, 102])
        let normal = scenario.base.load(7, priority: .normal)
        scenario.executor.drain()
        let prefetcher = scenario.prefetcher
        scenario.base.run { await prefetcher.setPriority(.high) }
        for _ in 0..<4 {
            scenario.transport.release()
            scenario.executor.drain()
        }
        let asked = scenario.transport.asked
        expectAll(Set(asked.prefix(2)) == [100, 101], asked.dropFirst(2) == [102, 7])
        expect(normal.value != nil)
    }
}
