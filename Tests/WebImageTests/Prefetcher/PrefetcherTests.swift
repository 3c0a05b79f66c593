// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct PrefetcherTests {
    @Test(arguments: seeds)
    func `a list is loaded, three at once, and is then in memory, and an empty one is over at once`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed)
        let token = scenario.start(Array(0..<8))
        expectEqual(scenario.transport.held.sorted(), [0, 1, 2], "the first of the list")
        expectEqual(token?.progress.endedCount, 0)
        expectEqual(scenario.tokens, 1)
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(token?.progress, .counts(finished: 8, total: 8))
        expectEqual([scenario.transport.asked.count, scenario.transport.peak], [8, 3])
        expect((0..<8).allSatisfy { scenario.base.manager.peek(.numbered($0)) != nil })
        expectEqual(scenario.tokens, 0)

        // An empty list is over at once, with all counts zero.
        do {
            let scenario = PrefetchScenario(seed: 1)
            let token = scenario.start([])
            expectEqual(token?.progress, .init(totalCount: 0))
            expectEqual(token?.progress.isOver, true)
            expectEqual(scenario.tokens, 0)
        }
    }

    @Test(arguments: seeds)
    func `each request is counted once, also when it is refreshed or shares its load with an equal one`(seed: UInt64) {
        // Each URL is counted once, also when it is refreshed.
        let scenario = PrefetchScenario(seed: seed)
        scenario.transport.open()
        _ = scenario.start([0, 1, 2])
        let prefetcher = scenario.prefetcher
        let steps = scenario.base.run {
            let requests = (0..<3).map { number in
                var request = ImageRequest.numbered(number)
                request.cachePolicy = .refreshCached
                return request
            }
            let token = await prefetcher.start(requests)
            var steps: [Int] = []
            for await progress in token.updates { steps.append(progress.finishedCount) }
            return steps
        }
        expectEqual(scenario.transport.asked.count, 6, "the list was cached, and was requested again")
        expectEqual(steps?.last, 3)
        expectEqual(steps, Array(Set(steps ?? [])).sorted(), "every step is a new one")

        // Equal requests of one list share a load and count one each.
        do {
            let scenario = PrefetchScenario(seed: seed)
            let token = scenario.start([5, 5, 5, 6])
            expectEqual(scenario.transport.held.sorted(), [5, 6])
            scenario.transport.open()
            scenario.executor.drain()
            expectEqual(token?.progress, .counts(finished: 4, total: 4))
            expectEqual(scenario.transport.asked.count, 2)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a prefetch makes what it is told to, and a download decodes nothing`(seed: UInt64) throws {
        var request = ImageRequest.numbered(1, transformers: [.resize(to: PixelSize(width: 4, height: 4))])
        request.firstFrameOnly = true
        for (outcome, destination, decodes) in [
            (ImagePrefetcher.Configuration.Outcome.picture, CacheTiers.all, 1), (.file(.webp()), .all, 1),
            (.download, .disk, 0), (.download, .all, 0),
        ] {
            for hasDisk in [true, false] {
                let staged = try StagedManager(seed: seed, hasDisk: hasDisk)
                var configuration = ImagePrefetcher.Configuration()
                (configuration.outcome, configuration.destination) = (outcome, destination)
                let prefetcher = ImagePrefetcher(manager: staged.manager, configuration: configuration)
                for _ in 0..<2 {
                    let report = staged.start { [request] _ in await prefetcher.prefetch([request]) }
                    staged.run()
                    expectEqual(report.value?.progress, .counts(finished: 1, total: 1))
                }
                let isKept = hasDisk || destination == .all
                expectAll(staged.coder.decodes == decodes, staged.transport.requests.count == (isKept ? 1 : 2))
                let memory = staged.manager.pipeline.caches.memory
                expectEqual(memory.contains(.picture(request.variantKey)), outcome == .picture)
                expectEqual(memory.contains(.file(request.fileKey(.webp()))), outcome == .file(.webp()))
                if hasDisk { expectEqual(staged.fileCount, outcome == .download ? 1 : 2) }
                expectEqual(staged.loadInTurn(request).value?.image.width, 4)
            }
        }
    }

    @Test func `a prefetch writes only where its request does, too`() throws {
        let staged = try StagedManager(seed: 1)
        var request = ImageRequest.numbered(1)
        request.cacheWrites = .memory
        let prefetcher = ImagePrefetcher(manager: staged.manager)
        let report = staged.start { [request] _ in await prefetcher.prefetch([request]) }
        staged.run()
        expectEqual(report.value?.progress.finishedCount, 1)
        expectAll(staged.fileCount == 0, staged.manager.peek(request) != nil)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `what a download has kept is proved by the load that shows it`(seed: UInt64) throws {
        let whole = try Pictures.png(1)
        let isBroken = Mutex(true)
        let staged = try StagedManager(seed: seed) { request in
            let bytes = isBroken.withLock { $0 } ? Array(whole.prefix(whole.count / 2)) : whole
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody([bytes]))
        }
        var configuration = ImagePrefetcher.Configuration()
        configuration.outcome = .download
        let prefetcher = ImagePrefetcher(manager: staged.manager, configuration: configuration)
        let report = staged.start { _ in await prefetcher.prefetch([ImageRequest.numbered(1)]) }
        staged.run()
        expectEqual(report.value?.progress.finishedCount, 1)
        // Not even its bytes are an answer before that.
        expectEqual(staged.dataInTurn(.numbered(1), as: .original).code, .undecodable)
        isBroken.withLock { $0 = false }
        staged.emptyMemory()
        var again = ImageRequest.numbered(1)
        again.retriesFailed = true
        expectEqual(staged.loadInTurn(again).value?.source, .network)
    }

    @Test(arguments: seeds) func `a picture that is missing counts as failed and is named`(seed: UInt64) {
        let scenario = PrefetchScenario(seed: seed, answer: StubTransport.picture(missing: [2, 4]))
        scenario.transport.open()
        let prefetcher = scenario.prefetcher
        let report = scenario.base.run { await prefetcher.prefetch((0..<6).map { ImageRequest.numbered($0) }) }
        expectEqual(report?.progress, .counts(finished: 4, failed: 2, total: 6))
        expectEqual(Set(report?.failures.map(\.url.lastPathComponent) ?? []), ["2.png", "4.png"])
        expectEqual(report?.failures.allSatisfy { ($0.error as? ImageLoadError)?.status == 404 }, true)
    }

    @Test(arguments: [99, 100, 101, 250])
    func `a report names a hundred failures, and counts them all, also of a picture that is listed many times`(
        times: Int
    ) {
        // A report names at most a hundred failures, also of a picture that is listed many times.
        let scenario = PrefetchScenario(seed: 1) { HTTPResponse(status: 404, url: $0.url) }
        let token = scenario.start([1, 2] + Array(repeating: 3, count: times) + [4])
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(token?.progress, .counts(failed: times + 3, total: times + 3))
        expectEqual(token?.report.failures.count, 100)

        // A report names the first hundred failures and counts them all.
        do {
            let scenario = PrefetchScenario(seed: 1) { HTTPResponse(status: 404, url: $0.url) }
            scenario.transport.open()
            let prefetcher = scenario.prefetcher
            let report = scenario.base.run { await prefetcher.prefetch((0..<250).map { ImageRequest.numbered($0) }) }
            expectEqual(report?.progress, .counts(failed: 250, total: 250))
            expectEqual(report?.failures.count, 100)
        }
    }

    @Test func `a hundred thousand requests are taken one by one`() {
        let scenario = PrefetchScenario(seed: 1)
        let prefetcher = scenario.prefetcher
        let taken = Journal<Int>()
        let token = scenario.base.run {
            let requests = (0..<100_000).lazy.map { number -> ImageRequest in
                taken.write(number)
                return .numbered(number)
            }
            return await prefetcher.start(requests)
        }
        expectEqual([taken.count, scenario.transport.held.count], [3, 3])
        scenario.transport.release()
        scenario.executor.drain()
        expectEqual(taken.count, 4)
        scenario.base.run { await prefetcher.stopAll() }
        expectEqual(taken.count, 4)
        expectEqual(token?.progress, .counts(finished: 1, cancelled: 99_999, total: 100_000))
    }

    @Test(arguments: seeds) func `a prefetch to disk does not change the memory cache`(seed: UInt64) {
        var configuration = ImagePrefetcher.Configuration()
        configuration.destination = .disk
        let scenario = PrefetchScenario(seed: seed, configuration)
        scenario.transport.open()
        let token = scenario.start([1, 2])
        expectEqual(token?.progress, .counts(finished: 2, total: 2))
        expectNil(scenario.base.manager.peek(.numbered(1)))
    }

    @Test(arguments: seeds) func `a collection with fewer elements than its count still ends`(seed: UInt64) {
        struct Boaster: Collection, Sendable {
            let startIndex = 0
            let endIndex = 2
            var count: Int { 5 }
            func index(after index: Int) -> Int { index + 1 }
            subscript(index: Int) -> ImageRequest { .numbered(index) }
        }
        let scenario = PrefetchScenario(seed: seed)
        scenario.transport.open()
        let prefetcher = scenario.prefetcher
        let report = scenario.base.run { await prefetcher.prefetch(Boaster()) }
        expectEqual(report?.progress, .counts(finished: 2, cancelled: 3, total: 5))
        expectEqual(scenario.tokens, 0)
    }
}
