// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Several lists, pauses and readers at once.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PrefetchSharingTests {
    @Test(arguments: seeds)
    func `lists that overlap take turns, and their equal requests share a load and its place`(seed: UInt64) {
        // Equal requests of two lists share a load and its place.
        let scenario = PrefetchScenario(seed: seed)
        scenario.base.run { [prefetcher = scenario.prefetcher] in await prefetcher.pause() }
        let tokens = [scenario.start(Array(0..<5)), scenario.start(Array(0..<5))]
        scenario.base.run { [prefetcher = scenario.prefetcher] in await prefetcher.resume() }
        expectEqual(scenario.transport.held.sorted(), [0, 1, 2])
        scenario.transport.open()
        scenario.executor.drain()
        expect(tokens.allSatisfy { $0?.progress == .counts(finished: 5, total: 5) })
        expectEqual(scenario.transport.asked.sorted(), [0, 1, 2, 3, 4])

        // Lists that overlap in time and content both end.
        do {
            let scenario = PrefetchScenario(seed: seed)
            let prefetcher = scenario.prefetcher
            let callers = [Array(0..<6), Array(3..<9)].map { numbers in
                Probe(on: scenario.executor) { await prefetcher.prefetch(numbers.map { ImageRequest.numbered($0) }) }
            }
            scenario.executor.run(steps: Int(seed % 100))
            scenario.transport.open()
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.value?.progress == .counts(finished: 6, total: 6) })
            expectEqual(scenario.transport.asked.sorted(), Array(0..<9))
        }

        // Lists take turns.
        do {
            var configuration = ImagePrefetcher.Configuration()
            configuration.maximumConcurrentLoads = 1
            let scenario = PrefetchScenario(seed: seed, configuration)
            _ = scenario.start([1, 2, 3])
            _ = scenario.start([11, 12])
            scenario.transport.open()
            scenario.executor.drain()
            expect(scenario.transport.asked == [1, 11, 2, 12, 3] || scenario.transport.asked == [1, 2, 11, 3, 12])
        }
    }

    @Test(arguments: seeds)
    func `stopping one list keeps the loads that another shares, and a new one gets a new load`(seed: UInt64) {
        // Stopping one list keeps the loads that another shares.
        let scenario = PrefetchScenario(seed: seed)
        let prefetcher = scenario.prefetcher
        scenario.base.run { await prefetcher.pause() }
        guard let first = scenario.start([0, 1, 2]), let second = scenario.start([0, 7]) else {
            return expect(false, "no list")
        }
        scenario.base.run { await prefetcher.resume() }
        expectEqual(scenario.transport.held.sorted(), [0, 1, 7])
        scenario.base.run { await prefetcher.stop(first) }
        expectEqual(scenario.transport.cancelled, [1])
        expectEqual(scenario.transport.held.sorted(), [0, 7])
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(first.progress, .counts(cancelled: 3, total: 3))
        expectEqual(second.progress, .counts(finished: 2, total: 2))

        // A list that begins while its load is abandoned gets a new one.
        do {
            let scenario = PrefetchScenario(seed: seed)
            let prefetcher = scenario.prefetcher
            guard let first = scenario.start([4]) else { return expect(false, "no list") }
            let caller = Probe(on: scenario.executor) {
                await prefetcher.stop(first)
                return await prefetcher.prefetch([ImageRequest.numbered(4)])
            }
            scenario.executor.drain()
            scenario.transport.open()
            scenario.executor.drain()
            expectEqual(first.progress, .counts(cancelled: 1, total: 1))
            expectEqual(caller.value?.progress, .counts(finished: 1, total: 1))
        }
    }

    @Test(arguments: seeds) func `a pause holds back new loads, and running ones continue`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed)
        let prefetcher = scenario.prefetcher
        let token = scenario.start(Array(0..<5))
        scenario.base.run { await prefetcher.pause() }
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(token?.progress, .counts(finished: 3, total: 5))
        expectEqual(scenario.transport.asked.count, 3)
        scenario.base.run { await prefetcher.resume() }
        expectEqual(token?.progress, .counts(finished: 5, total: 5))
    }

    @Test(arguments: seeds) func `progress rises to the total, for every reader, also a slow one`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed)
        guard let token = scenario.start(Array(0..<6)) else { return expect(false, "no list") }
        let gate = Gate()
        let readers = (0..<3).map { number in
            Probe(on: scenario.executor) {
                var seen: [Int] = []
                for await progress in token.updates {
                    seen.append(progress.endedCount)
                    if number == 0 { await gate.pass() }
                }
                return seen
            }
        }
        scenario.executor.run(steps: Int(seed % 12))
        scenario.transport.open()
        scenario.executor.drain()
        scenario.executor.open(gate)
        for reader in readers {
            let seen = reader.value ?? []
            expectAll(seen.last == 6, zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
        }
        expect((readers[0].value ?? []).count, <=, 2, "a slow reader sees only the newest")
        expectEqual(token.watcherCount, 0)
        let late = scenario.base.run { await token.updates.reduce(into: []) { $0.append($1.endedCount) } }
        expectEqual(late, [6])
    }

    @Test(arguments: fewerSeeds)
    func `requests that try again in their own ways share no load, and equal ones share all transfers`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed) { request in
            guard request.url.lastPathComponent == "1.png" else { return try HTTPResponse.picture(for: request) }
            return HTTPResponse(status: 503, url: request.url)
        }
        scenario.transport.open()
        let asked = Journal<Int>()
        // What one brings must not answer another.
        var request = ImageRequest.numbered(1)
        request.cacheWrites = .none
        var requests = Array(repeating: request, count: 5)
        requests[1].alternatives = [.numbered(7)]
        requests[2].alternatives = [.numbered(8)]
        for place in [3, 4] {
            requests[place].retry = LoadRetry { _ in
                asked.write(place)
                return nil
            }
        }
        let prefetcher = scenario.prefetcher
        let list = Probe(on: scenario.executor) { [requests] in await prefetcher.prefetch(requests) }
        scenario.executor.drain()
        expectEqual(list.value?.progress, .counts(finished: 2, failed: 3, total: 5))
        expectEqual(asked.entries.sorted(), [3, 4])
        expectEqual(Set(scenario.transport.asked), [1, 7, 8])
    }
}
