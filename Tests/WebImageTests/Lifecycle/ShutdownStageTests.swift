// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Shutdowns with work in every stage.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ShutdownStageTests {
    private static let endless: StubTransport.Answer = { request in
        HTTPResponse(status: 200, url: request.url, body: HTTPBody(EndlessBody(first: [1, 2, 3])))
    }

    @Test(arguments: [true, false], seeds)
    func `files and writes that are being made are finished within the grace time`(isMade: Bool, seed: UInt64) throws {
        // Running writes are finished within the grace time.
        let staged = try StagedManager(seed: seed)
        var request = ImageRequest.numbered(1)
        request.cacheReads = .memory
        request.transformers = [.resize(to: .init(width: 4, height: 4))]
        let caller = staged.load(request)
        // Either the variant's file waits for the disk, or it has yet to be made.
        if isMade { staged.run(without: .files) }
        while caller.isRunning, staged.canRun { staged.run(steps: 1) }
        let end = staged.shutdown()
        staged.run()
        expectAll(caller.value != nil, end.value == ShutdownReport())
        expectEqual(staged.fileCount, 2, "the original and the variant")

        // A file that is being made is finished within the grace time.
        do {
            let staged = try StagedManager(seed: seed)
            let caller = staged.data(.numbered(1), as: .jpeg())
            // The flight of the file is at its first stage and has not joined a flight of the picture yet.
            staged.run(without: .files)
            let end = staged.shutdown()
            staged.run(without: .files)
            expectAll(end.isRunning, caller.isRunning)
            staged.run()
            expectAll(caller.value != nil, end.value == ShutdownReport(), staged.isAtRest)
        }
    }

    @Test(arguments: seeds)
    func `every dropped caller is reported, whatever it waits for, and none cuts the end short`(seed: UInt64) throws {
        // Every dropped caller is reported, whatever it waits for.
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let file = staged.data(.numbered(1), as: .jpeg())
        let picture = staged.load(.numbered(2))
        staged.run(without: .pixels)
        let end = staged.shutdown()
        staged.run(without: .pixels)
        staged.clock.advance(by: .seconds(5))
        staged.run(without: .pixels)
        expectAll(file.wasCancelled, picture.wasCancelled)
        staged.run()
        expectAll(end.value?.cancelledLoadCount == 2, staged.isAtRest)

        // A caller that is cancelled cannot cut the end short.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false, answer: Self.endless)
            let caller = staged.loadInTurn(.numbered(1))
            let end = staged.shutdown()
            staged.runSome()
            end.cancel()
            staged.run()
            expectAll(caller.isRunning, end.isRunning)
            staged.clock.advance(by: .seconds(5))
            staged.run()
            expectAll(caller.wasCancelled, end.value?.cancelledLoadCount == 1, staged.transport.isShutDown)
        }

        // A download through the downloader itself ends with the manager.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false, answer: Self.endless)
            let direct = staged.start { try await $0.downloader.download(.numbered(1)) }
            staged.run()
            let end = staged.shutdown()
            staged.run()
            expect(direct.isRunning && end.isRunning, "it has the grace time, too")
            staged.clock.advance(by: .seconds(5))
            staged.run()
            expectAll(direct.wasCancelled, end.value != nil, staged.isAtRest, staged.transport.isShutDown)
        }
    }

    @Test(arguments: seeds)
    func `a disk that does not answer delays the end no longer than the grace time`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        var request = ImageRequest.numbered(1)
        request.cacheReads = .memory
        let caller = staged.load(request)
        staged.run(without: .files)
        expect(caller.value != nil)
        let end = staged.shutdown()
        staged.run(without: .files)
        expect(end.isRunning)
        staged.clock.advance(by: .seconds(5))
        staged.run(without: .files)
        staged.clock.advance(by: ImageManager.unwindingTime)
        staged.run(without: .files)
        expectEqual([end.value?.droppedWriteCount, end.value?.cancelledLoadCount], [1, 0])
        staged.run()
    }

    @Test(arguments: seeds) func `a shutdown at any time ends every caller once`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { request in
            if request.url.lastPathComponent == "3.png" { return try Self.endless(request) }
            return try .picture(for: request)
        }
        let pictures = (0..<4).map { staged.load(.numbered($0)) }
        let files = (0..<4).map { staged.data(.numbered($0), as: .jpeg()) }
        staged.runSome(upTo: 200)
        let end = staged.shutdown()
        staged.runSome(upTo: 200)
        let racing = staged.loadInTurn(.numbered(7))
        let late = staged.loadInTurn(.numbered(7))
        staged.clock.advance(by: .seconds(5))
        staged.run()
        for caller in pictures + [racing] {
            expect(caller.value != nil || caller.wasCancelled || caller.code == .shutDown)
        }
        for caller in files { expect(caller.value != nil || caller.wasCancelled || caller.code == .shutDown) }
        expectAll(late.code == .shutDown, end.value != nil, staged.isAtRest)
        let cancelled = pictures.count { $0.wasCancelled } + files.count { $0.wasCancelled }
        expectEqual(end.value?.cancelledLoadCount, cancelled)
    }

    @Test(arguments: seeds) func `activities asked for after the end, or together with it, are over`(seed: UInt64)
        throws
    {
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let end = staged.shutdown()
        staged.runSome()
        let watcher = staged.start { manager in
            for await _ in manager.activities() {}
        }
        staged.run()
        expectAll(end.value != nil, watcher.value != nil)
    }
}
