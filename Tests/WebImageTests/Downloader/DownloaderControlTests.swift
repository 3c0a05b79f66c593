// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Settings that may change while transfers run.
@Suite(.balanced, .timeLimit(.minutes(1))) struct DownloaderControlTests {
    @Test(arguments: seeds)
    func `while the downloader is suspended no transfer begins or times out, whatever else is set`(seed: UInt64) async {
        // While the downloader is suspended no transfer begins, running ones continue, and none times out.
        let gate = Gate()
        let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 2)
        let running = scenario.downloadInTurn(0..<1)
        scenario.change { $0.suspend() }
        await expect(scenario.downloader.isSuspended)
        let waiting = scenario.downloadInTurn(1..<4)
        // More rounds than a transfer may wait, for some seeds: they take longer than all the rest.
        for _ in 0..<(seed.isMultiple(of: 30) ? 1_000 : 1) { scenario.downloader.nextRound() }
        scenario.executor.open(gate)
        expect(running[0].value != nil)
        expectEqual(scenario.begun, ["0.png"])
        expectEqual(scenario.downloader.queuedCount, 3)
        let cancelled = waiting[1]
        cancelled.cancel()
        scenario.executor.drain()
        expect(cancelled.wasCancelled)
        scenario.change { $0.resume() }
        await expect(!scenario.downloader.isSuspended)
        expectAll(waiting[0].value != nil, waiting[2].value != nil)
        expectEqual(scenario.begun.sorted(), ["0.png", "1.png", "3.png"], "two begin at once, in either order")

        // New limits and a new order do not end a suspension.
        do {
            let scenario = DownloaderScenario(seed: seed, slots: 1)
            scenario.change { $0.suspend() }
            let waiting = scenario.downloadInTurn(0..<2)
            scenario.change { $0.setMaximumConcurrentDownloads(4, perHost: 3) }
            scenario.change { $0.setOrder(.lifo) }
            expectEmpty(scenario.begun)
            let downloader = scenario.downloader
            let limits = await [downloader.maximumConcurrentDownloads, downloader.maximumConcurrentDownloadsPerHost]
            let (isSuspended, order) = await (downloader.isSuspended, downloader.order)
            expectAll(isSuspended, order == .lifo, limits == [4, 3])
            scenario.change { $0.resume() }
            expect(waiting.allSatisfy { $0.value != nil })
        }
    }

    @Test(arguments: seeds) func `a new limit, also one for each host, holds from the moment it is set`(seed: UInt64) {
        // More transfers begin at once under a higher limit, and none begins above a lower one.
        let gate = Gate()
        let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 1)
        let callers = scenario.downloadInTurn(0..<8)
        expectEqual(scenario.begun.count, 1)
        scenario.change { $0.setMaximumConcurrentDownloads(4) }
        expectEqual(scenario.begun.count, 4)
        scenario.change { $0.setMaximumConcurrentDownloads(0) }
        expectEqual(scenario.downloader.runningCount, 4)
        gate.open()
        var begun = 4
        while scenario.executor.run(steps: 1) > 0 {
            if scenario.begun.count > begun {
                expectEqual(scenario.downloader.runningCount, 1)
            }
            begun = scenario.begun.count
        }
        expectEqual(begun, 8)
        expect(callers.allSatisfy { $0.value != nil })

        // A limit for each host holds from the moment it is set.
        do {
            let gate = Gate()
            let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 1)
            let callers =
                scenario.downloadInTurn(0..<3, host: "one.test") + scenario.downloadInTurn(3..<6, host: "two.test")
            scenario.change { $0.setMaximumConcurrentDownloads(6, perHost: 2) }
            expectEqual(Set(scenario.begun), ["0.png", "1.png", "3.png", "4.png"])
            scenario.change { $0.setMaximumConcurrentDownloads(6) }
            expectEqual(scenario.begun.count, 6)
            scenario.executor.open(gate)
            expect(callers.allSatisfy { $0.value != nil })
        }
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], seeds)
    func `a new order holds for the transfers that wait already`(order: SlotOrder, seed: UInt64) async {
        let gate = Gate()
        let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 1)
        let callers = scenario.downloadInTurn(0..<4)
        scenario.change { $0.setOrder(.lifo) }
        scenario.change { $0.setOrder(order) }
        await expectEqual(scenario.downloader.order, order)
        scenario.executor.open(gate)
        let waited = ["1.png", "2.png", "3.png"]
        expectEqual(scenario.begun, ["0.png"] + (order == .fifo ? waited : waited.reversed()))
        expect(callers.allSatisfy { $0.value != nil })
    }

    @Test func `a header is sent from the moment it is set, and a request's own goes before it`() {
        let gate = Gate()
        gate.open()
        let scenario = DownloaderScenario(seed: 0, gate: gate, slots: 2)
        scenario.change { $0.setHeader("a token", for: "Authorization") }
        _ = scenario.downloadInTurn(0..<1)
        var request = ImageRequest.numbered(1)
        request.headers["authorization"] = "its own"
        _ = Probe(on: scenario.executor) { [downloader = scenario.downloader, request] in
            try await downloader.download(request)
        }
        scenario.executor.drain()
        scenario.change { $0.setHeader(nil, for: "authorization") }
        _ = scenario.downloadInTurn(2..<3)
        let sent = scenario.transport.requests.map { $0.headers["Authorization"] }
        expectEqual(sent, ["a token", "its own", nil])
    }
}
