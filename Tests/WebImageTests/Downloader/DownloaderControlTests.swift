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
    private struct Scenario {
        let executor: SeededExecutor
        let transport: StubTransport
        let downloader: ImageDownloader

        init(seed: UInt64, gate: Gate, slots: Int) {
            executor = SeededExecutor(seed: seed)
            transport = StubTransport(gate: gate, HTTPResponse.picture)
            var configuration = ImageDownloader.Configuration()
            configuration.maximumConcurrentDownloads = slots
            downloader = ImageDownloader(configuration: configuration, transport: transport, executor: executor)
            ledger?.settle { [executor] in executor.drain() }
            ledger?.enter("downloader") { [downloader] in downloader.entryCount + downloader.contentOrder.count }
        }

        func download(_ numbers: Range<Int>, host: String? = nil) -> [Probe<Download>] {
            numbers.map { number in
                var request = ImageRequest.numbered(number)
                if let host { request = ImageRequest(URL(string: "http://\(host)/\(number).png")!) }
                let probe = Probe(on: executor) { [request] in try await downloader.download(request) }
                executor.drain()
                return probe
            }
        }

        func change(_ body: @escaping @Sendable (isolated ImageDownloader) -> Void) {
            let change = Probe(on: executor) { [downloader] in await body(downloader) }
            executor.drain()
            #expect(change.value != nil)
        }

        var begun: [String] { transport.requests.map(\.url.lastPathComponent) }
    }

    @Test(arguments: seeds)
    func `while the downloader is suspended no transfer begins, running ones continue, and none times out`(
        seed: UInt64
    ) async {
        let gate = Gate()
        let scenario = Scenario(seed: seed, gate: gate, slots: 2)
        let running = scenario.download(0..<1)
        scenario.change { $0.suspend() }
        #expect(await scenario.downloader.isSuspended)
        let waiting = scenario.download(1..<4)
        for _ in 0..<1_000 { scenario.downloader.nextRound() }
        gate.open()
        scenario.executor.drain()
        #expect(running[0].value != nil)
        #expect(scenario.begun == ["0.png"])
        #expect(scenario.downloader.queuedCount == 3)
        let cancelled = waiting[1]
        cancelled.cancel()
        scenario.executor.drain()
        #expect(cancelled.wasCancelled)
        scenario.change { $0.resume() }
        #expect(await !scenario.downloader.isSuspended)
        #expect(waiting[0].value != nil)
        #expect(waiting[2].value != nil)
        #expect(scenario.begun.sorted() == ["0.png", "1.png", "3.png"], "two begin at once, in either order")
    }

    @Test(arguments: seeds)
    func `more transfers begin at once under a higher limit, and none begins above a lower one`(seed: UInt64) {
        let gate = Gate()
        let scenario = Scenario(seed: seed, gate: gate, slots: 1)
        let callers = scenario.download(0..<8)
        #expect(scenario.begun.count == 1)
        scenario.change { $0.setMaximumConcurrentDownloads(4) }
        #expect(scenario.begun.count == 4)
        scenario.change { $0.setMaximumConcurrentDownloads(0) }
        #expect(scenario.downloader.runningCount == 4)
        gate.open()
        var begun = 4
        while scenario.executor.run(steps: 1) > 0 {
            if scenario.begun.count > begun {
                #expect(scenario.downloader.runningCount == 1)
            }
            begun = scenario.begun.count
        }
        #expect(begun == 8)
        #expect(callers.allSatisfy { $0.value != nil })
    }

    @Test(arguments: seeds) func `a limit for each host holds from the moment it is set`(seed: UInt64) {
        let gate = Gate()
        let scenario = Scenario(seed: seed, gate: gate, slots: 1)
        let callers = scenario.download(0..<3, host: "one.test") + scenario.download(3..<6, host: "two.test")
        scenario.change { $0.setMaximumConcurrentDownloads(6, perHost: 2) }
        #expect(Set(scenario.begun) == ["0.png", "1.png", "3.png", "4.png"])
        scenario.change { $0.setMaximumConcurrentDownloads(6) }
        #expect(scenario.begun.count == 6)
        gate.open()
        scenario.executor.drain()
        #expect(callers.allSatisfy { $0.value != nil })
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], seeds)
    func `a new order holds for the transfers that wait already`(order: SlotOrder, seed: UInt64) async {
        let gate = Gate()
        let scenario = Scenario(seed: seed, gate: gate, slots: 1)
        let callers = scenario.download(0..<4)
        scenario.change { $0.setOrder(.lifo) }
        scenario.change { $0.setOrder(order) }
        #expect(await scenario.downloader.order == order)
        gate.open()
        scenario.executor.drain()
        let waited = ["1.png", "2.png", "3.png"]
        #expect(scenario.begun == ["0.png"] + (order == .fifo ? waited : waited.reversed()))
        #expect(callers.allSatisfy { $0.value != nil })
    }

    @Test func `a header is sent from the moment it is set, and a request's own goes before it`() {
        let gate = Gate()
        gate.open()
        let scenario = Scenario(seed: 0, gate: gate, slots: 2)
        scenario.change { $0.setHeader("a token", for: "Authorization") }
        _ = scenario.download(0..<1)
        var request = ImageRequest.numbered(1)
        request.headers["authorization"] = "its own"
        _ = Probe(on: scenario.executor) { [downloader = scenario.downloader, request] in
            try await downloader.download(request)
        }
        scenario.executor.drain()
        scenario.change { $0.setHeader(nil, for: "authorization") }
        _ = scenario.download(2..<3)
        let sent = scenario.transport.requests.map { $0.headers["Authorization"] }
        #expect(sent == ["a token", "its own", nil])
    }
}
