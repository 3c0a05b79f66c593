// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct DownloaderTests {
    @Test(arguments: [SlotOrder.fifo, .lifo], seeds)
    func `first in first out, or last in first out`(order: SlotOrder, seed: UInt64) {
        let gate = Gate()
        let scenario = DownloaderScenario(seed: seed, gate: gate) { $0.order = order }
        let callers = (0...4).map { number in
            let caller = scenario.download(number)
            scenario.executor.drain()
            return caller
        }
        scenario.executor.open(gate)
        let waited = ["1.png", "2.png", "3.png", "4.png"]
        expectEqual(scenario.begun, ["0.png"] + (order == .fifo ? waited : waited.reversed()))
        expectAll(callers.allSatisfy { $0.value != nil }, scenario.isAtRest)
    }

    @Test(arguments: seeds)
    func `shutting down cancels transfers, refuses later ones, and closes the transport last`(seed: UInt64) {
        // Shutting down cancels running and waiting transfers, and refuses later ones with one clear error.
        let scenario = DownloaderScenario(
            seed: seed,
            answer: { request in
                HTTPResponse(status: 200, url: request.url, body: HTTPBody(EndlessBody(first: [1, 2, 3])))
            })
        let callers = (0..<3).map { scenario.download($0) }
        scenario.executor.drain()
        expectEqual([scenario.downloader.runningCount, scenario.downloader.queuedCount], [1, 2])
        let downloader = scenario.downloader
        let end = Probe(on: scenario.executor) { await downloader.shutdown() }
        let racing = scenario.download(0)
        scenario.executor.drain()
        expectAll(end.value != nil, callers.allSatisfy { $0.wasCancelled })
        expect(racing.wasCancelled || racing.code == .shutDown)
        let late = scenario.download(9)
        scenario.executor.drain()
        expectEqual(late.code, .shutDown)
        expectAll(scenario.transport.isShutDown, scenario.isAtRest)

        // Shutting down closes the transport when the last transfer has unwound.
        do {
            let gate = Gate()
            let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 2)
            let (callers, downloader) = ((0..<2).map { scenario.download($0) }, scenario.downloader)
            scenario.executor.drain()
            let end = Probe(on: scenario.executor) { await downloader.shutdown() }
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.wasCancelled } && end.isRunning && !scenario.transport.isShutDown)
            scenario.executor.open(gate)
            expectAll(end.value != nil, scenario.transport.isShutDown, scenario.isAtRest)
        }
    }

    @Test(arguments: seeds)
    func `a full queue refuses until it has room, and a transfer that cannot start gives its slot back`(seed: UInt64) {
        // A full queue refuses with a clear error and accepts again when it has room.
        let gate = Gate()
        let scenario = DownloaderScenario(seed: seed, gate: gate) { $0.maximumQueueLength = 2 }
        let callers = (0..<5).map { scenario.download($0) }
        scenario.executor.drain()
        expectEqual([callers.count { $0.code == .overloaded }, callers.count { $0.isRunning }], [2, 3])
        scenario.executor.open(gate)
        expectEqual(callers.count { $0.value != nil }, 3)
        let next = scenario.download(9)
        scenario.executor.drain()
        expectAll(next.value != nil, scenario.isAtRest)

        // A transfer that cannot start gives its slot back.
        do {
            let scenario = DownloaderScenario(
                seed: seed,
                answer: { request in
                    if request.url.lastPathComponent != "9.png" {
                        throw HTTPError(code: .cannotConnect, message: "The session is dead.")
                    }
                    return try .picture(for: request)
                })
            let callers = (0..<4).map { scenario.download($0) }
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.code == .transferFailed })
            let next = scenario.download(9)
            scenario.executor.drain()
            expectAll(next.value != nil, scenario.isAtRest)
        }
    }

    @Test(arguments: seeds)
    func `each caller may leave at any time: nothing leaks, and no other caller goes with it`(seed: UInt64) {
        // Each caller may leave at any time, and nothing leaks.
        var random = SeededGenerator(seed: seed)
        let scenario = DownloaderScenario(seed: seed, slots: 2) {
            $0.order = seed.isMultiple(of: 2) ? .fifo : .lifo
        }
        let callers = (0..<12).map { scenario.download($0 % 5) }
        var left: Set<Int> = []
        for _ in 0..<8 {
            scenario.executor.run(steps: .random(in: 0...12, using: &random))
            let leaver = Int.random(in: 0..<12, using: &random)
            callers[leaver].cancel()
            left.insert(leaver)
        }
        scenario.executor.drain()
        for (number, caller) in callers.enumerated() {
            expect(caller.value != nil || (caller.wasCancelled && left.contains(number)))
        }
        expectAll(scenario.isAtRest, scenario.transport.peak <= 2)

        // A caller that joins while the last one leaves is never cancelled with it.
        do {
            let gate = Gate()
            let scenario = DownloaderScenario(seed: seed, gate: gate)
            let leaver = scenario.download(1)
            scenario.executor.drain()
            leaver.cancel()
            let joiner = scenario.download(1)
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectAll(leaver.wasCancelled, joiner.value != nil, scenario.isAtRest)
            expect((1...2).contains(scenario.transport.requests.count))
        }

        // A finished transfer removes only itself, not the one that took its place.
        do {
            let gate = Gate()
            let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 4)
            let first = scenario.download(1)
            scenario.executor.drain()
            first.cancel()
            scenario.executor.drain()
            let second = scenario.download(1)
            scenario.executor.drain()
            // The first transfer unwinds while the second one runs.
            gate.open()
            scenario.executor.run(steps: Int(seed % 9))
            let third = scenario.download(1)
            scenario.executor.drain()
            expectAll(first.wasCancelled, second.value != nil, third.value != nil)
            // A third request is right only if the third caller came after the landing of the second.
            expectAll(scenario.transport.requests.count <= 3, scenario.isAtRest)
            if third.value?.bytes.count != second.value?.bytes.count { Issue.record("another picture") }
        }
    }

    @Test(arguments: [0.01, 0.3, 0.75, 1, 2], 1...9)
    func `the last report has the whole body, whatever the interval and the pieces`(
        interval: Double, pieces: Int
    ) throws {
        let bytes = try Pictures.png(1)
        let gates = (0..<pieces).map { _ in Gate() }
        let scenario = DownloaderScenario(
            seed: UInt64(pieces), configure: { $0.minimumProgressInterval = interval },
            answer: { request in
                let body = HTTPBody(SteppedBody(bytes, gates), expectedByteCount: bytes.count)
                return HTTPResponse(status: 200, url: request.url, body: body)
            })
        let (downloader, reports) = (scenario.downloader, Journal<LoadProgress>())
        let caller = Probe(on: scenario.executor) {
            try await downloader.download(.numbered(1)) { reports.write($0) }
        }
        for gate in gates {
            scenario.executor.open(gate)
        }
        let counts = reports.entries.map(\.receivedByteCount)
        expectAll(caller.value != nil, counts.last == bytes.count, counts == Array(Set(counts)).sorted())
        expect(counts.count, <=, Int(1 / interval) + 1)
    }

    @Test func `the time to the first byte does not include the time in the queue`() throws {
        let gate = Gate()
        let scenario = DownloaderScenario(seed: 1, gate: gate)
        let activities = scenario.downloader.hub.watch(keeping: 100)
        let callers = (0...1).map { number in
            let caller = scenario.download(number)
            scenario.executor.drain()
            return caller
        }
        let watch = Stopwatch()
        // The second transfer waits for at least this long, and is answered as fast as this machine allows.
        while watch.elapsed < .milliseconds(50) {}
        let sending = Stopwatch()
        scenario.executor.open(gate)
        let all = sending.elapsed
        expect(callers.allSatisfy { $0.value != nil })
        scenario.downloader.hub.finish()
        let reader = Probe(on: scenario.executor) {
            var (waited, took): ([Duration], [Duration]) = ([], [])
            for await activity in activities where activity.url?.lastPathComponent == "1.png" {
                if case .started(let time) = activity.kind { waited.append(time) }
                if case .firstByte(let time) = activity.kind { took.append(time) }
            }
            return (waited, took)
        }
        scenario.executor.drain()
        let (waited, took) = try required(reader.value)
        expectEqual([waited.count, took.count], [1, 1])
        expect(waited[0] >= .milliseconds(50) && took[0] <= all)
    }
}
