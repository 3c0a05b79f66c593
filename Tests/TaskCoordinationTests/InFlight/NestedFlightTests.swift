// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Flights whose operation awaits a flight of another table.
@Suite(.balanced) struct NestedFlightTests {
    @Test(arguments: seeds)
    func `a flight goes on with the value of the one it waits for, at once, and so do others`(seed: UInt64) {
        // A flight goes on when the one it waits for has landed, with its value.
        let scenario = NestedScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<3).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        expectEqual(scenario.journal.entries, ["feeder"])
        expect(callers.allSatisfy { $0.isRunning })
        scenario.executor.open(gate)
        expect(callers.allSatisfy { $0.value == 101 })
        expectEqual(scenario.journal.entries.count, 2)
        expect(scenario.isIdle)

        // A flight whose wait is over at once begins within its caller's call.
        do {
            let scenario = NestedScenario(seed: seed)
            let caller = scenario.call { _ in 1 }
            expectEqual([scenario.executor.run(steps: 1), caller.value, scenario.executor.pending], [1, 101, 0])
        }

        // Flights of different keys may wait for one, which works once.
        do {
            let scenario = NestedScenario(seed: seed)
            let gate = Gate()
            let callers = ["one", "two", "three"].map {
                scenario.call($0, feeder: "feeder", operation: scenario.gated(gate))
            }
            let other = scenario.callFeeder("feeder", operation: scenario.gated(gate))
            scenario.executor.drain()
            scenario.executor.open(gate)
            expect(callers.allSatisfy { $0.value == 101 })
            expectEqual([other.value, scenario.journal.entries.filter { $0 == "feeder" }.count], [1, 1])
            expect(scenario.isIdle)
        }
    }

    @Test(arguments: seeds)
    func `an error of the flight waited for, or of making it, fails every caller and is not remembered`(seed: UInt64) {
        // An error of the flight waited for reaches every caller and is not remembered.
        let scenario = NestedScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<2).map { _ in
            scenario.call { _ in
                await gate.pass()
                throw Broken()
            }
        }
        scenario.executor.drain()
        scenario.executor.open(gate)
        expectAll(callers.allSatisfy { $0.error is Broken }, scenario.isIdle)
        let later = scenario.call { _ in 2 }
        scenario.executor.drain()
        expectEqual(later.value, 102)

        // An operation that cannot be made fails every caller and is not remembered.
        do {
            let scenario = NestedScenario(seed: seed)
            scenario.feeders.close()
            let callers = (0..<2).map { _ in scenario.call { _ in 1 } }
            scenario.executor.drain()
            expectAll(callers.allSatisfy { ($0.error as? CoordinationError)?.code == .shutDown }, scenario.isIdle)
        }
    }

    @Test(arguments: [true, false], seeds)
    func `cancelling the flights waited for ends those that wait, also when these bring a value all the same`(
        bringsValue: Bool, seed: UInt64
    ) {
        let scenario = NestedScenario(seed: seed)
        let gate = Gate()
        let callers = ["one", "two"].map { key in
            scenario.call(key) { _ in
                await gate.pass()
                if !bringsValue { try Task.checkCancellation() }
                return 1
            }
        }
        scenario.executor.drain()
        scenario.feeders.cancelAll()
        scenario.executor.open(gate)
        expectAll(callers.allSatisfy { $0.wasCancelled }, scenario.isIdle)
    }
}

// MARK: - Leaving

extension NestedFlightTests {
    @Test(arguments: [true, false], seeds)
    func `the last caller out takes the flight waited for with it, in the cancellation itself`(
        cancelsAll: Bool, seed: UInt64
    ) {
        let scenario = NestedScenario(seed: seed)
        let gate = Gate()
        let blocker = hold(scenario.slots, gate, on: scenario.executor)
        let callers = (0..<2).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        expectEqual(scenario.slots.queued, 1)
        if cancelsAll { scenario.flights.cancelAll() } else { for caller in callers { caller.cancel() } }
        expectEqual([scenario.slots.queued, scenario.feeders.count, scenario.flights.count], [0, 0, 0])
        scenario.executor.open(gate)
        expectAll(callers.allSatisfy { $0.wasCancelled }, blocker.value != nil)
        expectEqual(scenario.journal.count, 0)
        expect(scenario.isIdle)
    }

    @Test(arguments: seeds) func `a flight that another caller wants too goes on`(seed: UInt64) {
        let scenario = NestedScenario(seed: seed)
        let gate = Gate()
        let leaving = scenario.call("one", feeder: "feeder", operation: scenario.gated(gate))
        let staying = scenario.call("two", feeder: "feeder", operation: scenario.gated(gate))
        let other = scenario.callFeeder("feeder", operation: scenario.gated(gate))
        scenario.executor.drain()
        leaving.cancel()
        scenario.executor.drain()
        expect(leaving.wasCancelled)
        expectEqual(scenario.flights.count, 1)
        scenario.executor.open(gate)
        expectEqual([staying.value, other.value], [101, 1])
        expectEqual(scenario.journal.entries.filter { $0 == "feeder" }.count, 1)
        expect(scenario.isIdle)
    }

    @Test(arguments: seeds)
    func `each caller may leave at any moment, also together with the landing, and nothing stays`(seed: UInt64) {
        // Each caller may leave at any moment, and nothing stays.
        let scenario = NestedScenario(seed: seed, slots: 2)
        var random = SeededGenerator(seed: seed)
        var callers: [(probe: Probe<Int>, left: Bool)] = []
        for step in 0..<24 {
            let key = "\(step % 5)"
            let gate = Gate()
            gate.open()
            callers.append(
                step.isMultiple(of: 4)
                    ? (scenario.callFeeder("\(step % 3)", operation: scenario.gated(gate)), false)
                    : (scenario.call(key, feeder: "\(step % 3)", operation: scenario.gated(gate)), false))
            scenario.executor.run(steps: Int.random(in: 0..<4, using: &random))
            if Bool.random(using: &random), let leaver = callers.indices.randomElement(using: &random) {
                callers[leaver].probe.cancel()
                callers[leaver].left = true
            }
        }
        scenario.executor.drain()
        expect(callers.allSatisfy { $0.probe.value != nil || ($0.left && $0.probe.wasCancelled) })
        expect(scenario.isIdle)

        // Left together with the landing it waits for: the flight ends once.
        do {
            let scenario = NestedScenario(seed: seed)
            let gate = Gate()
            let caller = scenario.call(operation: scenario.gated(gate))
            scenario.executor.drain()
            let canceller = Probe(on: scenario.executor) { caller.cancel() }
            scenario.executor.open(gate)
            expectAll(canceller.value != nil, caller.value == 101 || caller.wasCancelled, scenario.isIdle)
        }
    }
}
