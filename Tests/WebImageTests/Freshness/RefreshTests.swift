// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Stale pictures that are served: while the origin is asked, and when it fails.
@Suite(.balanced, .timeLimit(.minutes(1))) struct RefreshTests {
    private static let fields: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=600"]
    private static let few: Range<UInt64> = 0..<25

    private static func seed(_ response: ImageResponse?) -> Int? {
        response.flatMap { ImageFactory.seed(of: $0.image) }
    }

    @Test(arguments: [false, true], few)
    func `a stale picture is the answer while it is refreshed`(fromDisk: Bool, seed: UInt64) throws {
        // A stale picture is the answer while it is refreshed.
        let gate = Gate()
        let stage = try HTTPStage(Self.fields, seed: seed, gate: gate, holding: 2)
        _ = stage.load()
        stage.origin.set { $0.version = 2 }
        stage.pass(60)
        if fromDisk { stage.staged.emptyMemory() }
        expect(stage.version() == 1 && stage.asked == 2, "the origin has not answered yet")
        expectEqual(stage.staged.occupancy()?.refreshes, 1)
        gate.open()
        stage.staged.run()
        expectEqual(Self.seed(try stage.load()?.get()), 2)
        expectEqual(stage.asked, 2)
        stage.staged.emptyMemory()
        expectEqual([stage.version(), stage.asked], [2, 2])
        expectAll(stage.staged.manager.counters.refreshes == 1, stage.staged.isAtRest)

        // A stale picture without a validator is asked for again as a whole.
        do {
            let stage = try HTTPStage(Self.fields, seed: seed)
            stage.origin.set { $0.hasValidators = false }
            _ = stage.load()
            stage.origin.set { $0.version = 2 }
            stage.pass(60)
            if fromDisk { stage.staged.emptyMemory() }
            expect(stage.version() == 1 && stage.asked == 2, "the stale one is the answer, and the origin is asked")
            let asked = stage.staged.transport.requests.last?.headers
            expectAll(asked?["If-None-Match"] == nil, asked?["If-Modified-Since"] == nil)
            expectEqual([stage.version(), stage.asked, stage.staged.manager.counters.refreshes], [2, 2, 1])
            stage.staged.emptyMemory()
            expect(stage.version() == 2 && stage.asked == 2, "it is on disk, too")
        }
    }

    @Test(arguments: few)
    func `a refresh is shared by the callers of its original and by later ones, and decodes nothing when it confirms`(
        seed: UInt64
    ) throws {
        // A refresh that confirms decodes nothing and makes the picture fresh.
        let stage = try HTTPStage(Self.fields, seed: seed)
        _ = (stage.load(), stage.file(.webp()))
        let decodes = stage.staged.coder.decodes
        stage.pass(60)
        expectEqual(stage.file(.webp())?.source, .memory)
        expectEqual(stage.asked, 2)
        stage.pass(59)
        expectAll(stage.version() == 1, stage.file(.webp()) != nil)
        expectEqual(stage.asked, 2)
        expectEqual(stage.staged.coder.decodes, decodes)

        // Callers of one original share a refresh, and a later one joins its transfer.
        do {
            let gate = Gate()
            let stage = try HTTPStage(Self.fields, seed: seed, gate: gate, holding: 2)
            let small = HTTPStage.request(small: true)
            _ = (stage.load(), stage.load(small), stage.file(.webp()))
            stage.pass(60)
            _ = (stage.load(), stage.load(small), stage.file(.webp()))
            expectEqual([stage.staged.manager.counters.refreshes, stage.asked], [1, 2])
            // Beyond the window a caller waits for the validation.
            stage.pass(601)
            let caller = stage.staged.load(HTTPStage.request())
            stage.staged.run()
            expectAll(caller.isRunning, stage.asked == 2)
            gate.open()
            stage.staged.run()
            expectEqual([Self.seed(caller.value), stage.asked], [1, 2])
        }
    }

    @Test(arguments: few)
    func `a refresh goes on when its caller has left, and a shutdown does not wait for it`(seed: UInt64) throws {
        // A refresh goes on when the caller that caused it has left.
        let gate = Gate()
        let stage = try HTTPStage(Self.fields, seed: seed, gate: gate, holding: 2)
        _ = stage.load()
        stage.origin.set { $0.version = 2 }
        stage.pass(60)
        stage.staged.emptyMemory()
        let caller = stage.staged.load(HTTPStage.request())
        while stage.staged.occupancy()?.refreshes == 0, stage.staged.canRun { stage.staged.run(steps: 1) }
        caller.cancel()
        stage.staged.run()
        gate.open()
        stage.staged.run()
        expectEqual([stage.version(), stage.asked], [2, 2])

        // A shutdown cancels refreshes and does not wait for them.
        do {
            let gate = Gate()
            let stage = try HTTPStage(Self.fields, seed: seed, gate: gate, holding: 2)
            _ = stage.load()
            stage.pass(60)
            expectEqual([stage.version(), stage.asked], [1, 2])
            let end = stage.staged.shutdown(within: .seconds(3_600))
            stage.staged.run()
            gate.open()
            stage.staged.run()
            expectEqual(end.value?.cancelledLoadCount, 0)
            expectEqual(stage.staged.transport.cancelled, 1)
            expectAll(stage.code() == .shutDown, stage.staged.isAtRest)
        }
    }

    @Test(arguments: few)
    func `a refresh that is cancelled has not failed, and each cache has its own`(seed: UInt64) throws {
        let gate = Gate()
        let stage = try HTTPStage(Self.fields, seed: seed, gate: gate, holding: 2)
        _ = stage.load()
        stage.pass(60)
        expectEqual([stage.version(), stage.asked], [1, 2])
        stage.staged.manager.cancelAll()
        stage.staged.run()
        gate.open()
        stage.staged.run()
        expectEqual([stage.staged.transport.cancelled, stage.staged.manager.pipeline.refreshes.count], [1, 0])
        expect(stage.version() == 1 && stage.asked == 3, "it is tried again without a pause")

        let (refreshes, executor) = (Refreshes(), SeededExecutor(seed: seed))
        let started = ["a", "a", "b", nil].map { name in
            let request = HTTPStage.request { request in
                request.caches = name.map { Identified(identity: $0, ImageCaches(watch: nil, disk: nil)) }
            }
            return refreshes.start(.init(request), on: executor, now: { Date(timeIntervalSince1970: 1) }) { false }
        }
        expectEqual(started, [true, false, true, true])
        executor.drain()
    }

    @Test(arguments: few)
    func `no refresh starts where it is forbidden, and one that fails leaves the picture`(seed: UInt64) throws {
        // A refresh that fails leaves the stale picture, and one that finds nothing removes it.
        let stage = try HTTPStage(Self.fields, seed: seed)
        _ = stage.load()
        stage.pass(60)
        stage.origin.set { $0.status = 503 }
        for (seconds, asked) in [(0, 2), (0, 2), (1, 3), (1, 3), (1, 4), (3, 4), (1, 5), (7, 5), (1, 6)] {
            stage.pass(seconds)
            expect(stage.version() == 1 && stage.asked == asked, "it pauses for 1, 2, 4 and 8 seconds")
        }
        stage.origin.set { $0.status = 404 }
        stage.pass(16)
        expectEqual(stage.version(), 1)
        expectEqual(stage.code(), .unacceptableStatus)
        expectEqual(stage.staged.fileCount, 0)

        // No refresh starts where the response forbids stale answers, or beyond its window.
        do {
            for control in ["max-age=60, must-revalidate, stale-while-revalidate=600", "max-age=60"] {
                let stage = try HTTPStage(["Cache-Control": .init(control)])
                _ = stage.load()
                stage.pass(60)
                expectEqual([stage.version(), stage.asked, stage.staged.manager.counters.refreshes], [1, 2, 0])
            }
            let stage = try HTTPStage(Self.fields)
            _ = stage.load()
            stage.pass(661)
            _ = stage.load()
            expectEqual([stage.asked, stage.staged.manager.counters.refreshes], [2, 0])
        }
    }

    @Test func `a refresh that succeeds ends the pauses, and they have an end and a bound`() {
        var pauses = RefreshPauses<Int>(byteLimit: 10_000)
        let start = Date(timeIntervalSince1970: 1_000)
        let heapByteCount = 1_100
        for length in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [TimeInterval] {
            pauses.note(1, hasFailed: true, at: start, heapByteCount: heapByteCount)
            expectAll(pauses.isPaused(1, at: start), pauses.isPaused(1, at: start + (length - 0.5)))
            expectAll(!pauses.isPaused(1, at: start + length), !pauses.isPaused(2, at: start))
            expect(!pauses.isPaused(1, at: start - 0.5), "a clock that was set back")
        }
        pauses.note(1, hasFailed: false, at: start, heapByteCount: heapByteCount)
        expectAll(!pauses.isPaused(1, at: start), pauses.count == 0)
        for key in 1...100 {
            pauses.note(key, hasFailed: true, at: start + TimeInterval(key), heapByteCount: heapByteCount)
        }
        expectAll(pauses.count == 8, pauses.isPaused(93, at: start + 93), !pauses.isPaused(92, at: start + 92))
    }

    @Test(
        arguments: [
            ("max-age=60, stale-if-error=600", 503, 60, 1), ("max-age=60, stale-if-error=600", nil, 60, 1),
            ("max-age=60, stale-if-error=600", 503, 661, nil), ("max-age=60, stale-if-error=600", 400, 60, nil),
            ("max-age=60, must-revalidate, stale-if-error=600", 503, 60, nil), ("max-age=60", 503, 60, nil),
        ] as [(String, Int?, Int, Int?)], [false, true])
    func `a stale picture stands in for an origin that fails`(
        _ row: (control: String, status: Int?, seconds: Int, version: Int?), fromDisk: Bool
    ) throws {
        let stage = try HTTPStage(["Cache-Control": .init(row.control)])
        _ = stage.load()
        stage.pass(row.seconds)
        stage.origin.set { ($0.status, $0.failure) = (row.status ?? 200, row.status == nil ? .cannotConnect : nil) }
        if fromDisk { stage.staged.emptyMemory() }
        expectEqual(stage.version(), row.version)
        expectEqual(stage.asked, 2)
    }

    @Test(arguments: seeds) func `refreshes, callers that leave and a shutdown in any order leave nothing behind`(
        seed: UInt64
    ) throws {
        let stage = try HTTPStage(Self.fields, seed: seed)
        let staged = stage.staged
        var (callers, end) = ([Probe<ImageResponse>](), Probe<ShutdownReport>?.none)
        for turn in 1...20 {
            switch Int.random(in: 0..<6, using: &staged.random) {
            case 0: stage.pass(60)
            case 1: stage.origin.set { $0.version = turn }
            case 2: callers.randomElement(using: &staged.random)?.cancel()
            case 3 where turn > 12 && end == nil: end = staged.shutdown()
            default:
                let isSmall = Bool.random(using: &staged.random)
                callers.append(staged.load(HTTPStage.request(small: isSmall)))
            }
            staged.runSome(upTo: 60)
        }
        staged.run()
        for caller in callers {
            let isAnswered = caller.value != nil || caller.error is CancellationError || caller.code == .shutDown
            expect(isAnswered, "\(String(describing: caller.error))")
        }
        expectEqual(staged.manager.pipeline.refreshes.count, 0)
        if let end { expectEqual(end.value?.stillRunningCount, 0) }
        expect(staged.isAtRest)
    }
}
