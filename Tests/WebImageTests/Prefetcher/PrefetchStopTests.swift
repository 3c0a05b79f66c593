// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Lists that are stopped early.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PrefetchStopTests {
    @Test(arguments: seeds)
    func `a list that is stopped, or whose task is cancelled, ends and reports what it left`(seed: UInt64) {
        // A stopped list ends, and its abandoned requests are reported as cancelled.
        let scenario = PrefetchScenario(seed: seed, answer: StubTransport.picture(missing: [2]))
        let prefetcher = scenario.prefetcher
        guard let token = scenario.start(Array(0..<8)) else { return expect(false, "no list") }
        let waiter = Probe(on: scenario.executor) { try await token.waitUntilOver() }
        for number in [1, 2] { scenario.transport.release(number) }
        scenario.executor.drain()
        expect(waiter.isRunning)
        scenario.base.run { await prefetcher.stop(token) }
        expectEqual(waiter.value?.progress, .counts(finished: 1, failed: 1, cancelled: 6, total: 8))
        expectEqual(Set(scenario.transport.cancelled), [0, 3, 4])
        expectEqual([scenario.transport.asked.count, scenario.base.flights, scenario.tokens], [5, 0, 0])
        scenario.base.run { await prefetcher.stop(token) }
        expectEqual(token.progress.endedCount, 8, "stopping again changes nothing")

        // Cancelling the task that prefetches stops the list and reports it.
        do {
            let scenario = PrefetchScenario(seed: seed)
            let prefetcher = scenario.prefetcher
            let caller = Probe(on: scenario.executor) {
                await prefetcher.prefetch((0..<8).map { ImageRequest.numbered($0) })
            }
            scenario.executor.run(steps: Int(seed % 80))
            caller.cancel()
            scenario.executor.drain()
            expectEqual(caller.value?.progress, .counts(cancelled: 8, total: 8))
            expectAll(scenario.base.flights == 0, scenario.tokens == 0, scenario.transport.held.isEmpty)
        }
    }

    @Test(arguments: seeds) func `cancelling a reader of the progress does not stop the list`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed)
        guard let token = scenario.start([0, 1]) else { return expect(false, "no list") }
        let waiter = Probe(on: scenario.executor) { try await token.waitUntilOver() }
        let reader = Probe(on: scenario.executor) { for await _ in token.updates {} }
        scenario.executor.run(steps: Int(seed % 8))
        waiter.cancel()
        reader.cancel()
        scenario.executor.drain()
        expectAll(waiter.wasCancelled, reader.value != nil, token.watcherCount == 0)
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(token.progress, .counts(finished: 2, total: 2))
    }

    @Test(arguments: seeds)
    func `a list ends when the manager cancels all loads, or when it or the prefetcher shuts down`(seed: UInt64) {
        // When the manager cancels every load the list still ends.
        let scenario = PrefetchScenario(seed: seed)
        let manager = scenario.base.manager
        let token = scenario.start(Array(0..<5))
        scenario.base.run { manager.cancelAll() }
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(token?.progress, .counts(finished: 2, cancelled: 3, total: 5))

        // When the manager is shut down every request fails, and the list ends.
        do {
            let scenario = PrefetchScenario(seed: seed)
            let manager = scenario.base.manager
            scenario.base.run { _ = await manager.shutdown(within: .zero) }
            let token = scenario.start(Array(0..<5))
            expectEqual(token?.progress, .counts(failed: 5, total: 5))
            expectEqual((token?.report.failures.first?.error as? ImageLoadError)?.code, .shutDown)
        }

        // Shutting down ends every list, and later ones at once.
        do {
            let scenario = PrefetchScenario(seed: seed)
            let prefetcher = scenario.prefetcher
            let tokens = [scenario.start([0, 1, 2, 3]), scenario.start([2, 3, 4, 5])]
            let asked = scenario.transport.asked.count
            let left = scenario.base.run {
                await prefetcher.shutdown()
                return await prefetcher.loadCount
            }
            expectAll(left == 0, tokens.allSatisfy { $0?.progress == .counts(cancelled: 4, total: 4) })
            expectEqual(scenario.base.flights, 0)
            expectEqual(scenario.transport.asked.count, asked, "free places were not given to other lists")
            expectEqual(scenario.start([7, 8])?.progress, .counts(cancelled: 2, total: 2))
            scenario.base.run { await prefetcher.resume() }
            expectEqual(scenario.transport.asked.count, asked)
        }
    }

    @Test(arguments: seeds, [false, true])
    func `a prefetcher without references stops everything`(seed: UInt64, isPaused: Bool) {
        let base = PacedScenario(seed: seed)
        let manager = base.manager
        let waiter = Probe(on: base.executor) {
            let prefetcher = ImagePrefetcher(manager: manager)
            if isPaused { await prefetcher.pause() }
            let token = await prefetcher.start((0..<8).map { ImageRequest.numbered($0) })
            await Task.yield()
            return token
        }
        base.executor.drain()
        expectEqual(waiter.value?.progress, .counts(cancelled: 8, total: 8))
        expectAll(base.flights == 0, base.transport.held.isEmpty)
    }
}
