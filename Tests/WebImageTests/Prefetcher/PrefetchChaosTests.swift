// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// All operations at random times and in random orders.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PrefetchChaosTests {
    @Test(arguments: seeds) func `lists start and stop at random, and every request is counted once`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed, answer: StubTransport.picture(missing: [3, 7]))
        let prefetcher = scenario.prefetcher
        var random = SeededGenerator(seed: seed)
        var callers: [Probe<ImagePrefetcher.Report>] = []
        let loads = Journal<Int>()
        for _ in 0..<40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2:
                let numbers = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                    Int.random(in: 0..<10, using: &random)
                }
                callers.append(
                    Probe(on: scenario.executor) {
                        await prefetcher.prefetch(numbers.map { ImageRequest.numbered($0) })
                    })
            case 3: callers.randomElement(using: &random)?.cancel()
            case 4: _ = Probe(on: scenario.executor) { await prefetcher.pause() }
            case 5: _ = Probe(on: scenario.executor) { await prefetcher.resume() }
            case 6: scenario.transport.release()
            default:
                _ = Probe(on: scenario.executor) { [token = Int.random(in: 0..<4, using: &random)] in
                    if let token = await prefetcher.tokens.dropFirst(token).first { await prefetcher.stop(token) }
                }
            }
            _ = Probe(on: scenario.executor) { loads.write(await prefetcher.loadCount) }
            scenario.executor.run(steps: Int.random(in: 0..<60, using: &random))
        }
        scenario.base.run { await prefetcher.resume() }
        scenario.transport.open()
        scenario.executor.drain()
        // A pause may have run after the resume above.
        scenario.base.run { await prefetcher.resume() }
        expect(callers.allSatisfy { $0.value?.progress.isOver == true })
        expect(loads.entries.allSatisfy { $0 <= 3 })
        expectEqual([scenario.tokens, scenario.base.flights], [0, 0])
    }
}
