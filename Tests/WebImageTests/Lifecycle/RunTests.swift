// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The protocol of swift-service-lifecycle, copied exactly.
private protocol Service: Sendable {
    func run() async throws
}

extension ImageManager: Service {}

/// Managers whose life is tied to a task.
@Suite(.balanced, .timeLimit(.minutes(1))) struct RunTests {
    private static func run(_ scenario: ManagerScenario) -> Probe<Void> {
        let service: any Service = scenario.manager
        return Probe(on: scenario.executor) { try await service.run() }
    }

    private static func shutdown(_ scenario: ManagerScenario, within grace: Duration) -> Probe<ShutdownReport> {
        let manager = scenario.manager
        return Probe(on: scenario.executor) { await manager.shutdown(within: grace) }
    }

    /// Ends services as a `ServiceGroup` of swift-service-lifecycle does: from the last to the first, each when the one
    /// after it has ended. A service that ends before its turn is a failure of the group, one that does not end hangs
    /// it. `cancelWhenGracefulShutdown` makes of the group's wish a cancellation.
    private static func end(_ group: [Probe<Void>], on executor: SeededExecutor) -> String {
        for index in group.indices.reversed() {
            group[index].cancel()
            executor.drain()
            if group[index].isRunning { return "service \(index) does not end" }
            if let early = group[..<index].firstIndex(where: { !$0.isRunning }) {
                return "service \(early) has ended before its turn"
            }
        }
        return "ended"
    }

    @Test(arguments: [true, false], seeds)
    func `in a group of services, one that follows the activities ends in its turn, before the manager or after it`(
        comesAfterManager: Bool, seed: UInt64
    ) {
        let scenario = ManagerScenario(seed: seed)
        let heard = Journal<String>()
        let manager = scenario.manager
        let watch = Probe(on: scenario.executor) {
            await manager.followActivities { activity in
                if case .finished = activity.kind { heard.write(activity.url?.lastPathComponent ?? "") }
            }
        }
        let pictures = Self.run(scenario)
        scenario.executor.drain()
        let load = scenario.loadInTurn(1)
        let group = comesAfterManager ? [pictures, watch] : [watch, pictures]
        expectEqual(Self.end(group, on: scenario.executor), "ended")
        expectAll(load.value != nil, heard.entries == ["1.png"])
    }

    @Test(arguments: seeds)
    func `a cancelled run shuts the manager down within its grace time, and then returns`(seed: UInt64) {
        // Cancelled before the start: the manager is shut down, and the run returns.
        let scenario = ManagerScenario(seed: seed)
        let run = Self.run(scenario)
        run.cancel()
        scenario.executor.drain()
        expectAll(run.value != nil, scenario.transport.isShutDown)
        let late = scenario.loadInTurn(1)
        expectEqual(late.code, .shutDown)

        // Cancelled while loads run: they finish within the grace time, and then the run returns.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let run = Self.run(scenario)
            let callers = (0..<3).map { scenario.load($0) }
            scenario.executor.drain()
            run.cancel()
            scenario.executor.drain()
            let late = scenario.loadInTurn(9)
            expectAll(late.code == .shutDown, run.isRunning, callers.allSatisfy { $0.isRunning })
            scenario.executor.open(gate)
            expectAll(callers.allSatisfy { $0.value != nil }, run.value != nil, scenario.transport.isShutDown)
            let report = Self.shutdown(scenario, within: .zero)
            scenario.executor.drain()
            expectEqual(report.value, ShutdownReport())
        }

        // A cancelled run gives the grace time of the configuration, and reports afterwards.
        do {
            let gate = Gate()
            var configuration = ImageManager.Configuration()
            expectEqual(configuration.shutdownGrace, .seconds(10))
            configuration.shutdownGrace = .seconds(3)
            let scenario = ManagerScenario(seed: seed, gate: gate, configuration: configuration)
            let run = Self.run(scenario)
            let callers = (0..<3).map { scenario.load($0) }
            scenario.executor.drain()
            run.cancel()
            scenario.executor.drain()
            scenario.clock.advance(by: .seconds(2))
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.isRunning })
            scenario.clock.advance(by: .seconds(1))
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.wasCancelled } && run.isRunning, "the transport has not unwound")
            scenario.executor.open(gate)
            let report = Self.shutdown(scenario, within: .zero)
            scenario.executor.drain()
            expectAll(run.value != nil, report.value?.cancelledLoadCount == 3)
        }
    }

    @Test(arguments: seeds) func `a run returns when another caller has shut the manager down, and not before`(
        seed: UInt64
    ) {
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        let caller = scenario.load(1)
        let run = Self.run(scenario)
        scenario.executor.drain()
        expect(run.isRunning)
        let end = Self.shutdown(scenario, within: .seconds(5))
        scenario.executor.drain()
        let joining = Self.run(scenario)
        scenario.executor.drain()
        expectAll(run.isRunning, joining.isRunning, end.isRunning)
        if seed.isMultiple(of: 2) { joining.cancel() }
        scenario.executor.drain()
        expect(joining.isRunning && caller.isRunning, "the end that has begun has its time")
        scenario.executor.open(gate)
        expectAll(caller.value != nil, run.value != nil, joining.value != nil, end.value == ShutdownReport())
        let late = Self.run(scenario)
        scenario.executor.drain()
        expect(late.value != nil, "after the end it returns at once")
    }

    @Test(arguments: seeds)
    func `runs end together when one of them is cancelled, and do not end the manager by themselves`(seed: UInt64) {
        // Several runs end together, whichever of them is cancelled.
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        let caller = scenario.loadInTurn(1)
        let runs = (0..<3).map { _ in Self.run(scenario) }
        scenario.executor.run(steps: Int(seed % 7))
        runs[Int(seed % 3)].cancel()
        scenario.executor.drain()
        expect(runs.allSatisfy { $0.isRunning })
        scenario.executor.open(gate)
        expectAll(runs.allSatisfy { $0.value != nil }, caller.value != nil, scenario.transport.isShutDown)

        // A run that is not cancelled does not end the manager.
        do {
            let scenario = ManagerScenario(seed: seed)
            let run = Self.run(scenario)
            scenario.executor.drain()
            let callers = (0..<2).map { scenario.load($0) }
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.value != nil } && run.isRunning && !scenario.transport.isShutDown)
            run.cancel()
            scenario.executor.drain()
            expect(run.value != nil)
        }
    }
}
