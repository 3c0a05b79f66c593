// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The bytes of originals in the memory for pictures: which transfers begin and go on, and what is counted.
@Suite(.balanced, .timeLimit(.minutes(1))) struct OriginalBudgetTests {
    /// A queue in which originals may hold so many bytes.
    private static func queue(originals: Int = 100, width: Int = 1) -> JobQueue {
        JobQueue(width: width, byteLimit: 4 * originals, maximumQueueLength: 100)
    }

    /// A body of pieces, between which other tasks run.
    private struct Body: AsyncSequence, AsyncIteratorProtocol, Sendable {
        var pieces: ArraySlice<[UInt8]>
        let onRead: @Sendable (_ isOver: Bool) -> Void

        mutating func next() async throws -> [UInt8]? {
            onRead(pieces.isEmpty)
            await Task.yield()
            try Task.checkCancellation()
            return pieces.popFirst()
        }

        func makeAsyncIterator() -> Self { self }
    }

    // MARK: - Which transfers begin

    @Test(arguments: fewerSeeds)
    func `while originals hold their part one transfer runs, and the others keep their order and patience`(
        seed: UInt64
    ) {
        let (jobs, gate) = (Self.queue(), Gate())
        let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 3, jobs: jobs) {
            $0.queueTimeout = .seconds(1)
        }
        var held: OriginalShare? = OriginalShare(jobs, 100)
        let callers = scenario.downloadInTurn(1...5)
        for _ in 0..<50 { scenario.downloader.nextRound(looksAtProgress: false) }
        scenario.executor.drain()
        expectEqual(scenario.begun, ["1.png"])
        callers[1].cancel()
        scenario.executor.drain()
        expectAll(callers[1].wasCancelled, callers[2].isRunning)
        withExtendedLifetime(held) { held = nil }
        scenario.executor.drain()
        expectEqual(scenario.begun.sorted(), ["1.png", "3.png", "4.png"])
        scenario.executor.open(gate)
        expectAll(callers.allSatisfy { $0.hasOneEnd }, scenario.isAtRest)
        expectEqual(jobs.originalByteCount, 0)
    }

    @Test(arguments: fewerSeeds)
    func `a transfer begins only when little work waits that is as urgent`(seed: UInt64) {
        let (jobs, gate, end) = (Self.queue(), Gate(), Gate())
        let scenario = DownloaderScenario(seed: seed, gate: gate, slots: 9, jobs: jobs)
        func work(_ priority: TaskPriority) -> Probe<Void> {
            let work = Probe(on: scenario.executor) {
                let turn = try await jobs.turn(priority: priority)
                await end.pass()
                turn.end()
            }
            scenario.executor.drain()
            return work
        }
        var working = [work(.low), work(.low)]
        var callers = [scenario.downloadInTurn(1), scenario.downloadInTurn(2, priority: .low)]
        working.append(work(.low))
        callers.append(scenario.downloadInTurn(3, priority: .low))
        callers.append(scenario.downloadInTurn(4))
        expectEqual(scenario.begun, ["1.png", "2.png", "4.png"])
        working += [work(.high), work(.high)]
        callers.append(scenario.downloadInTurn(5))
        callers.append(scenario.downloadInTurn(6, priority: .veryHigh))
        expectEqual(scenario.begun, ["1.png", "2.png", "4.png", "6.png"])
        scenario.executor.open(end)
        expectEqual(scenario.begun.sorted(), (1...6).map { "\($0).png" })
        scenario.executor.open(gate)
        expectAll(callers.allSatisfy { $0.value != nil }, working.allSatisfy { $0.value != nil }, scenario.isAtRest)
    }

    @Test(arguments: fewerSeeds)
    func `no transfer begins, also while none runs, when originals hold their part and much work waits`(seed: UInt64) {
        let (jobs, end) = (Self.queue(), Gate())
        let scenario = DownloaderScenario(seed: seed, slots: 3, jobs: jobs)
        var held: [OriginalShare] = []
        let work = (0..<10).map { _ in
            held.append(OriginalShare(jobs, 10))
            return Probe(on: scenario.executor) {
                let turn = try await jobs.turn()
                await end.pass()
                turn.end()
            }
        }
        scenario.executor.drain()
        let callers = scenario.downloadInTurn(1...3)
        expectEqual(scenario.begun, [])
        // Work that is more urgent than what waits may need its original first.
        let urgent = scenario.downloadInTurn(4, priority: .veryHigh)
        expectEqual(scenario.begun, ["4.png"])
        held.removeLast()
        scenario.executor.open(end)
        expectEqual(scenario.begun.count, 4)
        expectAll((callers + [urgent]).allSatisfy { $0.value != nil }, work.allSatisfy { $0.value != nil })
        expect(scenario.isAtRest)
    }

    @Test(arguments: [(100, 2), (199, 2), (200, 1)])
    func `a transfer without progress holds up others only when originals hold twice their part`(
        held: Int, begun: Int
    ) {
        let (jobs, gate) = (Self.queue(), Gate())
        let scenario = DownloaderScenario(seed: 1, gate: gate, slots: 4, jobs: jobs)
        let share = OriginalShare(jobs, held)
        let callers = scenario.downloadInTurn(1...3)
        for _ in 0..<2 { scenario.nextRound() }
        expectEqual(scenario.begun.count, begun)
        scenario.executor.open(gate)
        expect(callers.allSatisfy { $0.value != nil })
        withExtendedLifetime(share) {}
    }

    // MARK: - Which transfers go on

    @Test(arguments: fewerSeeds)
    func `a transfer without room does not read its body, is not slow, and is cancelled at once`(seed: UInt64) {
        let (jobs, gates) = (Self.queue(), [Gate(), Gate()])
        let scenario = DownloaderScenario(
            seed: seed, slots: 3, jobs: jobs,
            answer: { request in
                let body = SteppedBody(Array(repeating: 7, count: 90), gates)
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: 90))
            })
        let callers = scenario.downloadInTurn(1...3)
        expectEqual(gates.map { $0.arrivals }, [1, 0])
        expectAll(scenario.downloader.board.hasPaused, jobs.originalByteCount == 90)
        callers[1].cancel()
        scenario.executor.drain()
        expectAll(callers[1].wasCancelled, scenario.downloader.board.count == 2)
        for _ in 0..<3 { _ = scenario.downloader.board.stalled() }
        expectEqual(scenario.downloader.board.stalled().values.reduce(0, +), 1)
        scenario.executor.open(gates[0])
        expectEqual(gates.map { $0.arrivals }, [1, 1])
        // The end of the first one makes room for the last.
        scenario.executor.open(gates[1])
        expectAll(callers[0].value?.bytes.count == 90, callers[2].value?.bytes.count == 90, scenario.isAtRest)
    }

    @Test(arguments: fewerSeeds)
    func `a paused transfer goes on when bytes come back, and what is counted at the end is the file`(seed: UInt64) {
        let (jobs, gate, heads) = (Self.queue(originals: 600_000), Gate(), Gate())
        let scenario = DownloaderScenario(
            seed: seed, gate: heads, slots: 2, jobs: jobs,
            answer: { request in
                let body = SteppedBody(Array(repeating: 7, count: 3_000), [gate])
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body))
            })
        var held: OriginalShare? = OriginalShare(jobs, 400_000)
        let downloader = scenario.downloader
        let downloads = (1...2).map { number in
            Probe(on: scenario.executor) {
                try await downloader.download(.numbered(number), validators: [:], priority: nil, report: nil)
            }
        }
        scenario.executor.drain()
        expectEmpty(downloader.board.stalled())
        scenario.executor.open(heads)
        expectAll(downloader.board.hasPaused, gate.arrivals == 1)
        withExtendedLifetime(held) { held = nil }
        scenario.executor.drain()
        expectAll(!downloader.board.hasPaused, gate.arrivals == 2)
        expectEqual(downloader.board.stalled().values.reduce(0, +), 1, "a pause is no slowness")
        scenario.executor.open(gate)
        expectEqual(downloads.map { $0.value?.share?.byteCount }, [3_000, 3_000])
        expectEqual(jobs.originalByteCount, 6_000)
    }

    @Test(arguments: [false, true])
    func `the oldest transfer that makes progress always goes on`(isFirstSlow: Bool) {
        let (jobs, gate, heads) = (Self.queue(), Gate(), Gate())
        let scenario = DownloaderScenario(
            seed: 1, gate: heads, slots: 3, jobs: jobs,
            answer: { request in
                let bytes: [UInt8] = Array(repeating: 7, count: 3_000)
                let isFirst = request.url.lastPathComponent == "1.png"
                let body = GatedBody(bytes, pieces: 30, free: isFirst ? 1 : 30, gate: gate)
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body))
            })
        let held = OriginalShare(jobs, 99)
        let callers = scenario.downloadInTurn(1...2)
        scenario.executor.open(heads)
        expectAll(callers.allSatisfy { $0.isRunning }, scenario.downloader.board.hasPaused)
        if isFirstSlow {
            for _ in 0..<2 { scenario.nextRound() }
            // The gate holds only its end.
            expectAll(scenario.downloader.board.count == 2, !scenario.downloader.board.hasPaused)
        }
        scenario.executor.open(gate)
        expect(callers.allSatisfy { $0.value?.bytes.count == 3_000 })
        withExtendedLifetime(held) {}
    }

    @Test(arguments: seeds)
    func `transfers that are half done when the memory is full all end, and take little beyond it`(seed: UInt64) {
        let jobs = Self.queue(originals: 400_000)
        // The bytes at most, when no file that has come waits for its caller.
        let most = Mutex(0)
        let (finished, delivered) = (Journal<Void>(), Journal<Void>())
        let scenario = DownloaderScenario(
            seed: seed, slots: 6, jobs: jobs,
            answer: { request in
                let number = Int(request.url.lastPathComponent.prefix { $0 != "." }) ?? 0
                let piece: [UInt8] = Array(repeating: 7, count: 30_000 + 10_000 * (number % 4))
                let body = Body(pieces: Array(repeating: piece, count: 9)[...]) { isOver in
                    if isOver { finished.write(()) }
                    guard finished.count == delivered.count else { return }
                    most.withLock { $0 = max($0, jobs.originalByteCount) }
                }
                let expected = number % 3 == 0 ? nil : 9 * piece.count
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: expected))
            })
        let callers = (1...12).map { number in
            Probe(on: scenario.executor) {
                _ = try await scenario.downloader.download(.numbered(number))
                delivered.write(())
            }
        }
        scenario.executor.run(steps: Int(seed % 120))
        let leaving = Int(seed % 13)
        if leaving < 12 { callers[leaving].cancel() }
        scenario.executor.drain()
        expectAll(callers.allSatisfy { $0.hasOneEnd }, scenario.isAtRest)
        expectEqual(jobs.originalByteCount, 0)
        // One transfer, the oldest, may take more.
        expect((100_000...400_000 + 9 * 60_000).contains(most.withLock { $0 }))
    }

    // MARK: - Work

    @Test(arguments: fewerSeeds)
    func `one piece of work always runs, whatever originals hold, and others wait for these`(seed: UInt64) {
        let (executor, jobs, gate) = (SeededExecutor(seed: seed), Self.queue(width: 2), Gate())
        var held: OriginalShare? = OriginalShare(jobs, 1_000)
        let work = (0..<5).map { _ in
            Probe(on: executor) {
                let turn = try await jobs.turn()
                if !turn.take(150) { try await turn.wait(for: 150) }
                await gate.pass()
                turn.end()
            }
        }
        executor.drain()
        expectEqual(gate.arrivals, 1)
        withExtendedLifetime(held) { held = nil }
        executor.drain()
        expectEqual(gate.arrivals, 2)
        executor.open(gate)
        expectAll(work.allSatisfy { $0.value != nil }, jobs.entryCount + jobs.byteCount == 0)
    }
}
