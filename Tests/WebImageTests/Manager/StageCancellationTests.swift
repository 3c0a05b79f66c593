// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The last caller leaves while its load is in a certain stage: the caller returns at once, the work ends in that
/// stage, and nothing leaks.
@Suite(.balanced, .timeLimit(.minutes(1))) struct StageCancellationTests {
    private static let small = ImageRequest.numbered(
        1, transformers: [.crop(to: PixelRect(x: 0, y: 0, width: 4, height: 4))])

    /// The result of the work behind the callers.
    private static func work(_ staged: StagedManager) -> [Int] {
        [staged.transport.requests.count, staged.coder.decodes, staged.coder.encodes]
    }

    @Test(arguments: seeds)
    func `cancelled while queued, connecting or receiving: the caller leaves, the transfer ends`(seed: UInt64) throws {
        // Cancelled while queued: the request is never sent.
        do {
            var configuration = ImageManager.Configuration()
            configuration.downloader.maximumConcurrentDownloads = 1
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate, hasDisk: false, configuration: configuration)
            let blocker = staged.loadInTurn(.numbered(0))
            let callers = (0..<2).map { _ in staged.load(.numbered(1)) }
            staged.run()
            expectEqual(staged.manager.downloader.queuedCount, 1)
            for caller in callers { caller.cancel() }
            staged.run()
            expectAll(callers.allSatisfy { $0.wasCancelled }, staged.manager.downloader.queuedCount == 0)
            staged.open(gate)
            expectAll(blocker.value != nil, Self.work(staged) == [1, 1, 0], staged.isAtRest)
        }

        // Cancelled while connecting: the caller returns at once, and the transport is cancelled.
        do {
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate, hasDisk: false)
            let caller = staged.loadInTurn(.numbered(1))
            caller.cancel()
            staged.run()
            expect(caller.wasCancelled, "at once, although the transport takes its time")
            staged.open(gate)
            expectAll(staged.transport.cancelled == 1, Self.work(staged) == [1, 0, 0], staged.isAtRest)
        }

        // Cancelled while receiving: the body is abandoned.
        let staged = try StagedManager(seed: seed, hasDisk: false) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody(EndlessBody(first: [1, 2, 3])))
        }
        let callers: [any Ended] = [staged.load(.numbered(1)), staged.data(.numbered(1)), staged.load(Self.small)]
        staged.run()
        for caller in callers { caller.cancel() }
        staged.run()
        expectAll(callers.allSatisfy { $0.wasCancelled }, Self.work(staged) == [1, 0, 0], staged.isAtRest)
    }

    @Test(arguments: seeds)
    func `a body that ends without an error when its reader is cancelled never counts as a whole one`(seed: UInt64)
        throws
    {
        let staged = try StagedManager(seed: seed, hasDisk: false) { request in
            let body = EndlessBody(first: try Pictures.png(1), endsSilently: true)
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body))
        }
        let caller = staged.loadInTurn(.numbered(1))
        caller.cancel()
        staged.run()
        expectAll(caller.wasCancelled, staged.manager.counters.downloadedByteCount == 0)
        expectAll(Self.work(staged) == [1, 0, 0], staged.isAtRest)
    }

    @Test(arguments: seeds)
    func `cancelled at the disk, or waiting to decode or encode: nothing of what is next begins`(seed: UInt64) throws {
        // Cancelled while the disk is read: the origin is not asked.
        do {
            let staged = try StagedManager(seed: seed)
            let caller = staged.load(.numbered(1))
            staged.run(without: .files)
            expectEmpty(staged.transport.requests)
            caller.cancel()
            staged.run(without: .files)
            expect(caller.wasCancelled)
            staged.run()
            expectAll(Self.work(staged) == [0, 0, 0], staged.isAtRest)
        }

        // Cancelled while waiting to decode: no decode begins.
        do {
            let staged = try StagedManager(seed: seed, width: 1)
            let callers = (1...3).map { staged.load(.numbered($0)) }
            staged.run(without: .pixels)
            for caller in callers { caller.cancel() }
            staged.run(without: .pixels)
            expect(callers.allSatisfy { $0.wasCancelled })
            staged.run()
            expectAll(Self.work(staged) == [3, 0, 0], staged.isAtRest)
            expectEqual(staged.fileCount, 0)
            expectNil(staged.manager.peek(.numbered(1)))
        }

        // Cancelled while waiting to encode: no encode begins.
        let staged = try StagedManager(seed: seed, hasDisk: false)
        var request = ImageRequest.numbered(1)
        request.cacheWrites = .memory
        let picture = staged.loadInTurn(request)
        let callers = (0..<2).map { _ in staged.data(request, as: .jpeg()) }
        staged.run(without: .pixels)
        for caller in callers { caller.cancel() }
        staged.run(without: .pixels)
        expect(callers.allSatisfy { $0.wasCancelled })
        staged.run()
        expectAll(picture.value != nil, Self.work(staged) == [1, 1, 0], staged.isAtRest)
    }

    @Test(arguments: seeds)
    func `cancelled while decoding or transforming: the picture is not stored`(seed: UInt64) throws {
        // Cancelled while decoding: the picture is neither stored nor transformed.
        let callers = Holder()
        let staged = try StagedManager(seed: seed, coder: CountingCoder { callers.cancel() })
        callers.hold([staged.load(.numbered(1)), staged.load(Self.small)], on: staged.executor)
        staged.run()
        expect(callers.allCancelled)
        expectNil(staged.manager.peek(.numbered(1)))
        expectNil(staged.manager.peek(Self.small))
        expectAll(staged.fileCount == 0, Self.work(staged)[2] == 0, staged.isAtRest)

        // Cancelled while transforming: the picture is not stored.
        do {
            struct Tripwire: ImageTransforming {
                let callers: Holder
                var key: String { "tripwire" }
                func transform(_ image: DecodedImage) throws -> DecodedImage {
                    callers.cancel()
                    return image
                }
            }
            let callers = Holder()
            let staged = try StagedManager(seed: seed)
            let request = ImageRequest.numbered(1, transformers: [Tripwire(callers: callers)])
            callers.hold([staged.load(request), staged.load(request)], on: staged.executor)
            staged.run()
            expect(callers.allCancelled)
            expectAll(staged.manager.peek(request) == nil, staged.coder.encodes == 0, staged.isAtRest)
            expectEqual(staged.fileCount, 1, "the original was complete before")
        }
    }

    /// Alone, beside another load of the original, and from a picture in memory.
    @Test(arguments: seeds, 0..<3) func `cancelled while transforming: none of the other transformers runs`(
        seed: UInt64, way: Int
    ) throws {
        let (callers, ran) = (Holder(), Journal<Int>())
        let staged = try StagedManager(seed: seed)
        if way == 2 {
            staged.loadInTurn(.numbered(1))
        }
        func step(_ number: Int) -> CustomTransformer {
            CustomTransformer(key: "step \(number)") { image in
                ran.write(number)
                if number == 1 { callers.cancel() }
                return image
            }
        }
        let request = ImageRequest.numbered(1, transformers: [step(0), step(1), step(2)])
        callers.hold([staged.load(request)], on: staged.executor)
        let other = way == 1 ? staged.load(.numbered(1, transformers: [step(0), step(3)])) : nil
        staged.run()
        expectAll(callers.allCancelled, !ran.entries.contains(2))
        expectAll((other == nil || other?.value != nil), staged.isAtRest)
    }

    @Test(arguments: seeds, [true, false])
    func `cancelled inside the manager's hook for requests: the caller returns at once, and the hook is cancelled`(
        seed: UInt64, isPicture: Bool
    ) throws {
        let (gate, wasCancelled) = (Gate(), Journal<Bool>())
        var configuration = ImageManager.Configuration()
        configuration.hooks.requestProcessor = { request in
            await gate.pass()
            wasCancelled.write(Task.isCancelled)
            return request
        }
        let staged = try StagedManager(seed: seed, configuration: configuration)
        let caller: any Ended = isPicture ? staged.load(.numbered(1)) : staged.data(.numbered(1))
        staged.run()
        expectEqual(gate.arrivals, 1)
        caller.cancel()
        staged.run()
        expect(caller.wasCancelled)
        staged.open(gate)
        expectEqual(wasCancelled.entries, [true])
        expectAll(staged.transport.requests.isEmpty, staged.isAtRest)
    }

    @Test(arguments: seeds)
    func `cancelled before the start, with the result or after it: each call has one result`(seed: UInt64) throws {
        // Cancelled before the start: no call hangs and no flight begins.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false)
            let callers: [any Ended] = [staged.load(.numbered(1)), staged.data(.numbered(1))]
            for caller in callers { caller.cancel() }
            staged.run()
            expectAll(callers.allSatisfy { $0.wasCancelled }, Self.work(staged) == [0, 0, 0], staged.isAtRest)
        }

        // Cancelling after the result changes nothing and gives no second result.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false)
            let caller = staged.load(.numbered(1))
            let other = staged.dataInTurn(.numbered(1))
            let first = caller.value
            caller.cancel()
            other.cancel()
            staged.run()
            expect(first != nil && caller.value != nil && !caller.wasCancelled && other.value != nil)
            let counters = staged.manager.counters
            expectAll(counters.requests == 2, counters.finished == 2, counters.cancelled == 0, counters.failed == 0)
        }

        // Cancelling together with the result gives one result.
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let callers = (0..<3).map { _ in staged.load(.numbered(1)) }
        staged.runSome(upTo: 60)
        for caller in callers { caller.cancel() }
        staged.run()
        let counters = staged.manager.counters
        expect(callers.allSatisfy { $0.value != nil || $0.wasCancelled })
        expect(counters.requests == 0 || counters.finished == callers.count { $0.value != nil })
        expectAll(counters.finished + counters.cancelled == counters.requests, staged.isAtRest)
    }

    @Test(arguments: seeds) func `no task leaks when callers of every kind leave at any time`(seed: UInt64) throws {
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = 2
        let staged = try StagedManager(seed: seed, width: 1, configuration: configuration)
        var callers: [any Ended] = []
        for number in 0..<12 {
            let request = number.isMultiple(of: 3) ? Self.small : ImageRequest.numbered(number % 4)
            callers.append(number.isMultiple(of: 2) ? staged.load(request) : staged.data(request, as: .jpeg()))
            staged.runSome(upTo: 20)
            callers.randomElement(using: &staged.random)?.cancel()
        }
        if seed.isMultiple(of: 3) { _ = staged.start { $0.cancelAll() } }
        staged.run()
        expectAll(callers.allSatisfy { $0.hasOneEnd }, staged.isAtRest)
        let again = staged.loadInTurn(.numbered(1))
        expect(again.value != nil, "and the manager continues")
    }
}
