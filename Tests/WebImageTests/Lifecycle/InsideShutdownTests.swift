// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Shutdowns that are awaited by code of the caller inside a transfer.
@Suite(.balanced, .timeLimit(.minutes(1))) struct InsideShutdownTests {
    /// The code that awaits the shutdown.
    enum Place: CaseIterable { case modifier, childTask, run, twice, downloader }

    @Test(arguments: Place.allCases, fewerSeeds)
    func `a shutdown awaited inside a transfer begins the end, counts the transfer, and lets it finish`(
        place: Place, seed: UInt64
    ) throws {
        let (manager, reports, entries) = (Later<ImageManager>(), Journal<ShutdownReport>(), Journal<Bool>())
        let staged = try StagedManager(seed: seed)
        manager.set(staged.manager)
        let request = ImageRequest.numbered(1) {
            let manager = manager.value
            entries.write(true)
            switch place {
            case .modifier: reports.write(await manager.shutdown(within: .seconds(5)))
            case .childTask:
                async let report = manager.shutdown(within: .seconds(5))
                reports.write(await report)
            case .run:
                async let end: Void = manager.run()
                reports.write(await manager.shutdown(within: .seconds(5)))
                try await end
            case .twice:
                reports.write(await manager.shutdown(within: .seconds(5)))
                reports.write(await manager.shutdown(within: .seconds(9)))
            case .downloader: await manager.downloader.shutdown()
            }
        }
        let (picture, file) = (staged.load(request), staged.data(request, as: .jpeg()))
        let direct = staged.start { try await $0.downloader.download(request) }
        staged.run()
        // What came after the end began is refused.
        for (hasValue, code, wasCancelled) in [
            (picture.value != nil, picture.code, picture.wasCancelled),
            (file.value != nil, file.code, file.wasCancelled), (direct.value != nil, direct.code, direct.wasCancelled),
        ] {
            expect((place == .downloader ? wasCancelled : hasValue) || code == .shutDown)
        }
        expectAll(staged.transport.isShutDown, staged.isAtRest, staged.clock.sleepers == 0)
        // A load that came later may have begun another transfer, which joins the shutdown.
        let report = ShutdownReport(stillRunningCount: 1)
        let count = entries.count * (place == .downloader ? 0 : place == .twice ? 2 : 1)
        expectAll((1...3).contains(entries.count), reports.entries == Array(repeating: report, count: count))
        let outside = staged.shutdown()
        staged.run()
        expectEqual(outside.value, ShutdownReport())
        expectEqual(staged.transport.requests.count, (place == .downloader ? 0 : entries.count))
    }

    @Test(arguments: seeds)
    func `the other transfers, and one that joins an earlier shutdown, have the grace time`(seed: UInt64) throws {
        // The other transfers have the grace time, and the slot of the one that shuts down.
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = 1
        let (gate, manager) = (Gate(), Later<ImageManager>())
        let staged = try StagedManager(seed: seed, hasDisk: false, configuration: configuration)
        manager.set(staged.manager)
        let inside = staged.load(
            .numbered(1) {
                await gate.pass()
                _ = await manager.value.shutdown(within: .seconds(5))
            })
        staged.run()
        let others = (2...4).map { staged.load(.numbered($0)) }
        staged.run()
        expectEqual(staged.manager.downloader.queuedCount, 3)
        staged.open(gate)
        expectAll(inside.value != nil, others.allSatisfy { $0.value != nil }, staged.isAtRest)
        expectAll(staged.transport.peak == 1, !staged.manager.downloader.board.isAttended)

        // An earlier shutdown waits for a transfer that joins it, and the transfer has the grace time.
        do {
            let (gate, manager) = (Gate(), Later<ImageManager>())
            let staged = try StagedManager(seed: seed, hasDisk: false)
            manager.set(staged.manager)
            let caller = staged.load(
                .numbered(1) {
                    await gate.pass()
                    _ = await manager.value.shutdown(within: .seconds(99))
                })
            staged.run()
            let end = staged.shutdown()
            staged.run()
            expectAll(end.isRunning, caller.isRunning)
            staged.open(gate)
            expectAll(caller.value != nil, end.value == ShutdownReport(), staged.isAtRest)
        }
    }

    @Test(arguments: seeds) func `a shutdown that waits for itself through another manager ends at the deadline`(
        seed: UInt64
    ) throws {
        let manager = Later<ImageManager>()
        let (staged, other) = (try StagedManager(seed: seed), try StagedManager(seed: ~seed))
        manager.set(staged.manager)
        let asked = other.manager
        let caller = staged.load(
            .numbered(1) {
                _ = try await asked.load(.numbered(2) { _ = await manager.value.shutdown(within: .seconds(5)) })
            })
        func run() {
            while staged.canRun || other.canRun {
                staged.run()
                other.run()
            }
        }
        run()
        expect(caller.isRunning)
        staged.clock.advance(by: .seconds(5))
        run()
        let report = staged.shutdown()
        run()
        expectAll(caller.wasCancelled, report.value == ShutdownReport(cancelledLoadCount: 1))
        expect(staged.isAtRest && other.isAtRest && staged.transport.isShutDown && !other.transport.isShutDown)
    }

    @Test(arguments: seeds) func `transfers that shut down together end, and the slots are exact`(seed: UInt64) throws {
        let (gate, manager) = (Gate(), Later<ImageManager>())
        let staged = try StagedManager(seed: seed, hasDisk: false)
        manager.set(staged.manager)
        let callers = (0..<8).map { number in
            staged.load(
                .numbered(number) {
                    if number < 4 { await gate.pass() }
                    if number.isMultiple(of: 2) { _ = await manager.value.shutdown(within: .seconds(5)) }
                })
        }
        staged.runSome(upTo: 100)
        callers[Int(seed % 8)].cancel()
        staged.run()
        staged.open(gate)
        expect(callers.allSatisfy { $0.value != nil || $0.wasCancelled || $0.code == .shutDown })
        expectAll(staged.isAtRest, staged.transport.isShutDown)
    }

    @Test(arguments: seeds)
    func `a task that outlives its transfer, or works as it returns, shuts down like any other`(seed: UInt64) throws {
        // A task that outlives its transfer shuts down like any other.
        let (gate, manager, reports) = (Gate(), Later<ImageManager>(), Journal<ShutdownReport>())
        let staged = try StagedManager(seed: seed, hasDisk: false)
        manager.set(staged.manager)
        let executor = staged.executor
        let caller = staged.load(
            .numbered(1) {
                Task(executorPreference: executor) {
                    await gate.pass()
                    reports.write(await manager.value.shutdown(within: .seconds(5)))
                }
            })
        staged.run()
        expect(caller.value != nil)
        staged.open(gate)
        expectAll(reports.entries == [ShutdownReport()], staged.isAtRest)

        // A task shuts down while its transfer returns, and the counts are exact.
        do {
            let (manager, reports) = (Later<ImageManager>(), Journal<ShutdownReport>())
            let staged = try StagedManager(seed: seed, hasDisk: false)
            manager.set(staged.manager)
            let executor = staged.executor
            let caller = staged.load(
                .numbered(1) {
                    Task(executorPreference: executor) {
                        for _ in 0..<seed % 40 { await Task.yield() }
                        reports.write(await manager.value.shutdown(within: .seconds(5)))
                    }
                })
            staged.run()
            expect(caller.value != nil || caller.code == .shutDown)
            expectAll(reports.entries.allSatisfy { $0.cancelledLoadCount == 0 }, reports.count == 1, staged.isAtRest)
        }
    }
}
