// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct ShutdownTests {
    private static func shutdown(_ scenario: ManagerScenario) -> Probe<ShutdownReport> {
        let manager = scenario.manager
        return Probe(on: scenario.executor) { await manager.shutdown(within: .seconds(5)) }
    }

    @Test(arguments: seeds)
    func `loads finish within the grace time, or are reported at its end, which later calls join`(seed: UInt64) {
        // Running loads finish within the grace time.
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        let caller = scenario.loadInTurn(1)
        let end = Self.shutdown(scenario)
        scenario.executor.drain()
        expectAll(end.isRunning, caller.isRunning)
        scenario.executor.open(gate)
        expectAll(caller.value != nil, end.value == ShutdownReport(), scenario.transport.isShutDown)

        // Work that has not ended at the deadline is cancelled and reported.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let callers = (0..<3).map { scenario.load($0) }
            scenario.executor.drain()
            let end = Self.shutdown(scenario)
            scenario.executor.drain()
            scenario.clock.advance(by: .seconds(5))
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.wasCancelled })
            scenario.executor.open(gate)
            expectEqual(end.value?.cancelledLoadCount, 3)
            expectEqual(end.value?.isClean, false)
        }

        // A later call joins the end that has begun, and gets its report.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let manager = scenario.manager
            let caller = scenario.loadInTurn(1)
            let end = Self.shutdown(scenario)
            scenario.executor.drain()
            let later = Probe(on: scenario.executor) { await manager.shutdown(within: .zero) }
            scenario.executor.drain()
            expect(caller.isRunning, "the grace time is that of the first call")
            expect(later.isRunning)
            scenario.executor.open(gate)
            expect(caller.value != nil)
            expectEqual(end.value, ShutdownReport())
            expectEqual(later.value, end.value)
        }
    }

    @Test(arguments: seeds) func `after the end every load gets one clear error, also a memory hit`(seed: UInt64) {
        let scenario = ManagerScenario(seed: seed)
        let manager = scenario.manager
        scenario.loadInTurn(1)
        let ends = (0..<2).map { _ in Self.shutdown(scenario) }
        let racing = scenario.loadInTurn(2)
        expect(ends.allSatisfy { $0.value != nil }, "a second shutdown joins the first")
        expect(!racing.isRunning)
        if racing.value == nil { expectEqual((racing.error as? ImageLoadError)?.code, .shutDown) }
        for number in [1, 3] {
            let late = scenario.loadInTurn(number)
            expectEqual((late.error as? ImageLoadError)?.code, .shutDown)
        }
        expectNil(manager.peek(.numbered(1)))
        let clearing = Probe(on: scenario.executor) { try await manager.clear() }
        scenario.executor.drain()
        expectEqual((clearing.error as? CacheError)?.code, .shutDown)
    }

    @Test(arguments: [nil, Duration.seconds(1)], seeds)
    func `a scope gives the grace time of the configuration, or its own, whether its body returns or throws`(
        grace: Duration?, seed: UInt64
    ) {
        struct Failure: Error {}
        let gate = Gate()
        var configuration = ImageManager.Configuration()
        configuration.shutdownGrace = .seconds(3)
        let scenario = ManagerScenario(seed: seed, gate: gate, configuration: configuration)
        let (manager, load) = (scenario.manager, scenario.load(1))
        scenario.executor.drain()
        let scope = Probe(on: scenario.executor) {
            try await withImageManager(manager, shutdownWithin: grace) { _ in
                if seed.isMultiple(of: 2) { throw Failure() }
                return 1
            }
        }
        scenario.executor.drain()
        let allowed = grace ?? .seconds(3)
        scenario.clock.advance(by: allowed - .milliseconds(1))
        scenario.executor.drain()
        expectAll(scope.isRunning, load.isRunning)
        scenario.clock.advance(by: .milliseconds(1))
        scenario.executor.drain()
        expect(load.wasCancelled)
        scenario.executor.open(gate)
        expect(seed.isMultiple(of: 2) ? scope.error is Failure : scope.value == 1)
        expect(scenario.transport.isShutDown)
    }

    @Test(arguments: seeds)
    func `cancelAll ends every caller once, also of a file that no longer needs its picture, and the manager continues`(
        seed: UInt64
    ) throws {
        // CancelAll ends every caller once, and the manager continues.
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        let manager = scenario.manager
        let callers = (0..<4).map { scenario.load($0 % 2) }
        scenario.executor.drain()
        let all = Probe(on: scenario.executor) { manager.cancelAll() }
        scenario.executor.drain()
        expectAll(all.value != nil, callers.allSatisfy { $0.wasCancelled })
        gate.open()
        let next = scenario.loadInTurn(0)
        expect(next.value != nil)

        // CancelAll reaches a file that no longer needs its picture.
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let picture = staged.loadInTurn(.numbered(1))
        let file = staged.data(.numbered(1), as: .jpeg())
        staged.run(without: .pixels)
        staged.manager.cancelAll()
        staged.run(without: .pixels)
        expectAll(picture.value != nil, file.wasCancelled)
        staged.run()
        expectAll(staged.coder.encodes == 0, staged.isAtRest)
    }

    @Test(arguments: seeds) func `the shutdown of a manager leaves caches that it shares with others as they are`(
        seed: UInt64
    ) throws {
        // The second way is a shutdown whose grace time is over, with work that does not end.
        for drops in [false, true] {
            let (executor, clock, gate) = (SeededExecutor(seed: seed), ManualClock(), Gate())
            let folder = try TemporaryFolder(isInMemory: true)
            let pool = WorkerPool(name: "disk", width: 1, maximumQueueLength: 100, executor: executor)
            let disk = DiskCache(
                .init(folder: folder.path), pool: pool, system: FileSystem(), executor: executor)
            let caches = ImageCaches(memory: MemoryLimits(), disk: disk, executor: executor)
            let transport = StubTransport(gate: gate, holding: 2, HTTPResponse.picture)
            let managers = (0..<2).map { _ in
                ImageManager.seeded(on: executor, transport) { ($0.caches, $0.clock) = (caches, clock) }
            }
            func load(_ number: Int, _ manager: ImageManager) -> Probe<ImageResponse> {
                let caller = Probe(on: executor) { try await manager.load(.numbered(number)) }
                executor.drain()
                return caller
            }
            expectEqual(load(1, managers[0]).value?.source, .network)
            let left = drops ? load(2, managers[0]) : nil
            let end = Probe(on: executor) { await managers[0].shutdown(within: .seconds(5)) }
            executor.drain()
            clock.advance(by: .seconds(5))
            executor.drain()
            clock.advance(by: ImageManager.unwindingTime)
            executor.open(gate)
            expectEqual(left?.wasCancelled, drops ? true : nil)
            expectEqual(end.value?.isClean, !drops)
            expectNil(managers[0].peek(.numbered(1)))
            expectNil(managers[0].peekAnySize(.numbered(1)))
            // What the memory has, and what is stored now.
            expectEqual(load(1, managers[1]).value?.source, .memory)
            expectEqual(load(3, managers[1]).value?.source, .network)
            expectEqual(folder.entryFiles.count, 2)
        }
    }
}
