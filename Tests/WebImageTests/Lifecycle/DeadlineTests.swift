// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// One deadline for every stage of a shutdown.
@Suite(.balanced, .timeLimit(.minutes(1))) struct DeadlineTests {
    /// The work that does not return.
    enum Stuck: CaseIterable {
        case modifier, transport, endOfTransport, pixels, files

        var stage: StagedManager.Stage? {
            switch self {
            case .pixels: .pixels
            case .files: .files
            default: nil
            }
        }
    }

    private static let endless: StubTransport.Answer = { request in
        HTTPResponse(status: 200, url: request.url, body: HTTPBody(EndlessBody(first: [1, 2, 3])))
    }

    @Test(arguments: Stuck.allCases, fewerSeeds)
    func `work that does not return does not delay the end past the deadline`(stuck: Stuck, seed: UInt64) throws {
        let gate = Gate()
        let staged = try StagedManager(
            seed: seed, gate: stuck == .transport ? gate : nil, endGate: stuck == .endOfTransport ? gate : nil)
        var request = ImageRequest.numbered(1)
        if stuck == .modifier { request.modifier = .held(at: gate) }
        let (picture, file) = (staged.load(request), staged.data(request, as: .jpeg()))
        staged.run(without: stuck.stage)
        let ends = (0..<2).map { _ in staged.shutdown() }
        staged.run(without: stuck.stage)
        staged.clock.advance(by: .milliseconds(4_999))
        staged.run(without: stuck.stage)
        expect(ends.allSatisfy { $0.isRunning }, "it has the grace time")
        staged.clock.advance(by: .milliseconds(1))
        staged.run(without: stuck.stage)
        staged.clock.advance(by: ImageManager.unwindingTime)
        staged.run(without: stuck.stage)
        let report = ends[0].value
        expect(report != nil && ends[1].value == report)
        expectAll(report?.isClean == false, (1...4).contains(report?.stillRunningCount ?? 0))
        expect(stuck == .files || report?.stillRunningCount == 1)
        expectEqual(report?.cancelledLoadCount, (stuck == .endOfTransport ? 0 : 2))
        expectAll(!picture.isRunning, !file.isRunning, staged.transport.isShutDown == (stuck != .endOfTransport))
        expectEqual(staged.clock.sleepers, 0, "no alarm is left")
        staged.open(gate)
        let later = staged.shutdown(within: .zero)
        staged.run()
        expectEqual(later.value, report, "what returns later changes no report")
        expect(staged.isAtRest)
    }

    @Test(arguments: seeds)
    func `the stages share the grace time: a slow disk has what the transfers leave of it`(seed: UInt64) throws {
        // The stages share the grace time.
        let (gate, endGate) = (Gate(), Gate())
        let staged = try StagedManager(seed: seed, gate: gate, endGate: endGate)
        let caller = staged.loadInTurn(.numbered(1))
        let end = staged.shutdown()
        staged.run()
        staged.clock.advance(by: .seconds(3))
        staged.open(gate)
        expectAll(caller.value != nil, end.isRunning)
        staged.clock.advance(by: .seconds(2))
        staged.run()
        expectEqual(end.value, ShutdownReport(stillRunningCount: 1), "nothing had to be cancelled, so nothing unwinds")
        staged.open(endGate)
        expectAll(staged.isAtRest, staged.transport.isShutDown)

        // A disk that does not answer has the rest of the grace time after the transfers.
        do {
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate)
            var request = ImageRequest.numbered(1)
            request.cacheReads = .memory
            let caller = staged.load(request)
            staged.run(without: .files)
            let end = staged.shutdown()
            staged.run(without: .files)
            staged.clock.advance(by: .seconds(3))
            gate.open()
            staged.run(without: .files)
            expectAll(caller.value != nil, end.isRunning)
            staged.clock.advance(by: .seconds(2))
            staged.run(without: .files)
            staged.clock.advance(by: ImageManager.unwindingTime)
            staged.run(without: .files)
            expectEqual([end.value?.droppedWriteCount, end.value?.cancelledLoadCount], [1, 0])
            staged.run()
            expect(staged.isAtRest)
        }
    }

    @Test(arguments: seeds) func `every dropped write is reported, also one that waits for another of its key`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed)
        var request = ImageRequest.numbered(1)
        request.cachePolicy = .reload
        for _ in 0..<2 {
            let caller = staged.load(request)
            staged.run(without: .files)
            expect(caller.value != nil)
        }
        let end = staged.shutdown()
        staged.run(without: .files)
        staged.clock.advance(by: .seconds(5) + ImageManager.unwindingTime)
        staged.run(without: .files)
        staged.clock.advance(by: ImageManager.unwindingTime)
        staged.run(without: .files)
        expectEqual([end.value?.droppedWriteCount, end.value?.cancelledLoadCount], [2, 0])
        let pending = staged.start { await $0.pipeline.caches.writes?.pendingCount }
        staged.run(without: .files)
        expectEqual(pending.value, 1, "the write that has not begun is given up with its memory")
        staged.run()
        expect(staged.isAtRest)
    }

    @Test(arguments: seeds)
    func `what ends in time, from the caches or by its cancellation, is not reported as running, and leaves no alarm`(
        seed: UInt64
    ) throws {
        // Work that unwinds when it is cancelled is not reported as running.
        let staged = try StagedManager(seed: seed, answer: Self.endless)
        let callers = (0..<2).map { staged.load(.numbered($0)) }
        staged.run()
        let end = staged.shutdown()
        staged.run()
        staged.clock.advance(by: .seconds(5))
        staged.run()
        expectAll(end.value == ShutdownReport(cancelledLoadCount: 2), callers.allSatisfy { $0.wasCancelled })
        expectAll(staged.isAtRest, staged.clock.sleepers == 0)

        // A shutdown that ends in time leaves no alarm.
        do {
            let staged = try StagedManager(seed: seed)
            let caller = staged.load(.numbered(1))
            staged.runSome()
            let end = staged.shutdown()
            staged.run()
            expectAll(!caller.isRunning, end.value == ShutdownReport())
            expectAll(staged.isAtRest, staged.clock.sleepers == 0)
        }

        // A load that is still in the caches is finished within the grace time.
        do {
            let staged = try StagedManager(seed: seed)
            let (picture, small) = (staged.load(.numbered(1)), staged.load(.numbered(2, transformers: [.thumbnail])))
            staged.run(without: .files)
            expectEmpty(staged.transport.requests, "neither has asked the origin yet")
            let end = staged.shutdown()
            staged.run(without: .files)
            expectAll(end.isRunning, picture.isRunning, small.isRunning)
            staged.run()
            expectAll(picture.value != nil, small.value != nil, end.value == ShutdownReport(), staged.isAtRest)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(-1)], fewerSeeds)
    func `without a grace time everything is dropped at once`(grace: Duration, seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, hasDisk: false, answer: Self.endless)
        let caller = staged.loadInTurn(.numbered(1))
        let end = staged.shutdown(within: grace)
        staged.run()
        expectAll(caller.wasCancelled, end.value == ShutdownReport(cancelledLoadCount: 1), staged.isAtRest)
        // A clean end has nothing of the kind.
        expectEqual(end.value?.isClean, false)
        expectAll(!ShutdownReport(droppedWriteCount: 1).isClean, !ShutdownReport(stillRunningCount: 1).isClean)
    }
}

extension ImageTransforming where Self == ResizeTransformer {
    static var thumbnail: ResizeTransformer { .resize(to: .init(width: 4, height: 4)) }
}
