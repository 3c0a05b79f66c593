// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// One host must not delay the others.
@Suite(.balanced, .timeLimit(.minutes(1))) struct FairnessTests {
    /// Hosts whose names begin with "drip" answer on their usual port with a byte at a time and never end.
    private static func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.url.host()?.hasPrefix("drip") == true, request.url.port == nil else {
            return try HTTPResponse.picture(for: request)
        }
        return HTTPResponse(status: 200, url: request.url, body: HTTPBody(EndlessBody(first: [0xFF])))
    }

    private static func scenario(
        _ seed: UInt64, slots: Int = 6, configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
    ) -> DownloaderScenario {
        DownloaderScenario(seed: seed, slots: slots, configure: configure, answer: answer)
    }

    @Test(arguments: seeds)
    func `sixty slow transfers delay a picture of another host by two rounds at most`(seed: UInt64) {
        expect(ImageDownloader.roundTime * 2, <, .milliseconds(500))
        for (host, priority) in [("fast.example.org", ImagePriority.high), ("drip.example.org:8443", .normal)] {
            let scenario = Self.scenario(seed)
            let dripping = (0..<60).map { scenario.downloadInTurn($0, host: "drip.example.org", priority: priority) }
            expectEqual(scenario.downloader.runningCount, 6)
            let fast = scenario.downloadInTurn(host: host)
            expect(fast.isRunning, "\(host)")
            for _ in 0..<2 { scenario.nextRound() }
            expect(fast.value != nil, "\(host)")
            scenario.end(dripping)
            expect(scenario.isAtRest, "\(host)")
        }
    }

    @Test(arguments: seeds)
    func `a host holds half of the slots, rounded up, while another waits, and all of them otherwise`(seed: UInt64) {
        let scenario = Self.scenario(seed, slots: 5)
        let alone = (0..<9).map { scenario.downloadInTurn($0, host: "drip.example.org") }
        expectEqual(scenario.downloader.runningCount, 5)
        let other = (0..<9).map { scenario.downloadInTurn($0, host: "drip.example.com") }
        // Two of the first host end, and their slots go to the other one, until each has its share.
        scenario.end(Array(alone.prefix(2)))
        let running = scenario.downloader.board.origins
        expectEqual([running["https://drip.example.org"], running["https://drip.example.com"]], [3, 2])
        scenario.end(Array(alone.dropFirst(2)) + other)
        expect(scenario.isAtRest)
    }

    @Test(arguments: seeds) func `a transfer without progress loses its slot, unless it has just begun`(seed: UInt64) {
        // A transfer without progress loses its slot, also within its host's share, and continues.
        let scenario = Self.scenario(seed, slots: 2)
        let dripping = ["drip.example.org", "drip.example.com"].map { scenario.downloadInTurn(host: $0) }
        let fast = scenario.downloadInTurn(host: "fast.example.org")
        scenario.nextRound()
        expect(fast.isRunning, "a first look cannot recognise transfers without progress")
        scenario.nextRound()
        expectAll(fast.value != nil, dripping.allSatisfy { $0.isRunning })
        scenario.end(dripping)
        expect(scenario.isAtRest)

        // A transfer that has just begun keeps its slot, however long another one has waited.
        do {
            let scenario = Self.scenario(seed, slots: 1)
            let first = scenario.downloadInTurn(host: "drip.example.org")
            let fast = scenario.downloadInTurn(host: "fast.example.org")
            let urgent = scenario.downloadInTurn(host: "drip.example.com", priority: .high)
            scenario.nextRound()
            scenario.end([first])
            scenario.nextRound()
            expect(fast.isRunning, "this is the first look at the urgent one")
            scenario.nextRound()
            expectAll(fast.value != nil, urgent.isRunning)
            scenario.end([urgent])
            expect(scenario.isAtRest)
        }
    }

    @Test(arguments: seeds) func `waiting for a slot has its own time limit`(seed: UInt64) {
        let scenario = Self.scenario(seed, slots: 1) {
            $0.queueTimeout = .seconds(3)
            $0.maximumConcurrentDownloadsPerHost = 1
        }
        let running = scenario.downloadInTurn(0, host: "drip.example.org")
        let waiting = (1..<4).map { scenario.downloadInTurn($0, host: "drip.example.org") }
        for _ in 0..<14 { scenario.nextRound() }
        expect(waiting.allSatisfy { $0.isRunning })
        scenario.nextRound()
        expectAll(waiting.allSatisfy { $0.code == .queueTimedOut }, running.isRunning)
        scenario.end([running])
        expect(scenario.isAtRest)
    }

    @Test(arguments: seeds, [true, false])
    func `a transfer that waits for its turn with a loader holds no slot, and takes one again`(
        seed: UInt64, isLimited: Bool
    ) {
        let (executor, clock, asked) = (SeededExecutor(seed: seed), ManualClock(), Journal<String>())
        let stub = StubTransport { request in
            asked.write(request.url.absoluteString)
            if request.url.host() == "busy.example.org", asked.count == 1, !isLimited {
                return HTTPResponse(status: 503, url: request.url)
            }
            return try HTTPResponse.picture(for: request)
        }
        let transport: any HTTPLoading =
            isLimited
            ? RateLimitingLoader(stub, perHost: HTTPRateLimit(1, per: .seconds(10)), clock: clock)
            : RetryingLoader(stub, clock: clock, fraction: { 1 })
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentDownloads = 1
        let downloader = ImageDownloader(configuration: configuration, transport: transport, executor: executor)
        func download(_ host: String, _ number: Int) -> Probe<Download> {
            let probe = Probe(on: executor) {
                try await downloader.download(ImageRequest(URL(string: "https://\(host)/\(number).png")!))
            }
            executor.drain()
            return probe
        }
        let busy = (1...3).map { download("busy.example.org", $0) }
        let other = download("fast.example.org", 4)
        expectAll(other.value != nil, downloader.runningCount == 0)
        busy[2].cancel()
        executor.drain()
        expect(busy[2].wasCancelled || busy[2].value != nil)
        for _ in 0..<4 {
            clock.advance(by: .seconds(10))
            executor.drain()
        }
        expectAll(busy.prefix(2).allSatisfy { $0.value != nil }, stub.peak == 1)
        expectEqual([downloader.entryCount, executor.pending], [0, 0])
    }

    @Test func `the queue is checked only while a transfer waits`() async throws {
        let downloader = ImageDownloader(transport: StubTransport(Self.answer))
        let dripping = (0..<60).map { number in
            Task { try await downloader.download(ImageRequest(URL(string: "https://drip.example.org/\(number)")!)) }
        }
        while downloader.queuedCount < 54 { await Task.yield() }
        expect(downloader.goesOnAttending())
        let fast = try await downloader.download(ImageRequest(URL(string: "https://fast.example.org/1.png")!))
        expect(!fast.bytes.isEmpty)
        for task in dripping { task.cancel() }
        for task in dripping { _ = await task.result }
        expectAll(!downloader.goesOnAttending(), !downloader.board.isAttended)
        await downloader.shutdown()
        expectEqual([downloader.board.count, downloader.slots.entryCount], [0, 0])
        expect(!downloader.board.isAttended)
    }

    @Test(arguments: [(10_000, 0), (1_024, 0), (1_023, 1), (0, 1)], 0..<20 as Range<UInt64>)
    func `a transfer that makes progress keeps its slot in a round of fairness`(
        _ row: (byteCount: Int, lent: Int), seed: UInt64
    ) {
        let gates = (0..<4).map { _ in Gate() }
        let body = SteppedBody(Array(repeating: 0, count: 4 * max(row.byteCount, 1)), gates)
        let scenario = DownloaderScenario(
            seed: seed,
            answer: { request in
                guard request.url.host() == "slow.example.org" else { return try HTTPResponse.picture(for: request) }
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body))
            })
        let slow = scenario.downloadInTurn(host: "slow.example.org")
        let waiting = scenario.downloadInTurn(host: "other.example.org")
        for gate in gates.dropLast() {
            if row.byteCount > 0 { gate.open() }
            scenario.executor.drain()
            scenario.downloader.nextRound()
        }
        expectAll(scenario.downloader.slots.lent == row.lent, slow.isRunning)
        scenario.executor.drain()
        expectEqual(waiting.isRunning, (row.lent == 0))
        for gate in gates { gate.open() }
        scenario.end([slow, waiting])
        expect(scenario.isAtRest)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a transfer that has ended is kept no longer, and makes no origin look stalled`(seed: UInt64) {
        let scenario = Self.scenario(seed, slots: 3)
        let running = scenario.downloader.board
        let dripping = (0..<3).map { scenario.downloadInTurn($0, host: "drip.example.org") }
        _ = running.stalled()
        expectAll(running.origins == ["https://drip.example.org": 3], running.stalled().values.first == 3)
        scenario.end(dripping)
        expectEqual(running.origins, [:])
        expectEqual(running.stalled(), [:])
        expectEqual(running.count, 0)
        weak var last: Transfer?
        do {
            let transfer = Transfer(
                .numbered(1), [:], scenario.downloader,
                FlightWork(awaits: { _ in }, withoutSlot: { try await $1() }))
            last = transfer
            running.insert(transfer, number: 1)
            running.remove(1)
        }
        expectNil(last)
    }
}
