// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

/// What happens to a flight while it begins: on its caller's thread, before it has a task, and before its caller waits.
@Suite(.balanced) struct FlightBeginTests {
    @Test(arguments: seeds)
    func `cancelled while it begins: the flight answers no caller, and its task is cancelled`(seed: UInt64) {
        // It ends at once.
        let scenario = FlightScenario(seed: seed)
        let caller = scenario.call { [flights = scenario.flights] _ in
            flights.cancelAll()
            return 1
        }
        scenario.executor.drain()
        expect(caller.wasCancelled)
        expectEqual(scenario.flights.count, 0)

        // Its task is cancelled when it is there.
        do {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let gated = scenario.gated(gate)
            let caller = scenario.call { [flights = scenario.flights] report in
                flights.cancelAll()
                return try await gated(report)
            }
            scenario.executor.drain()
            expect(caller.wasCancelled)
            expectEqual(scenario.journal.entries, ["start", "cancel"])
            scenario.executor.open(gate)
        }
    }

    @Test(arguments: seeds)
    func `joined or raised while it begins: the work begins once, and its task rises`(seed: UInt64) {
        // Joined.
        let scenario = FlightScenario(seed: seed)
        let (gate, joining) = (Gate(), Journal<Task<Int, any Error>>())
        let gated = scenario.gated(gate)
        let first = scenario.call { [flights = scenario.flights, executor = scenario.executor] report in
            let caller = Task.immediate(executorPreference: executor) {
                try await flights.value(for: "key", operation: gated)
            }
            joining.write(caller)
            scenario.journal.write("\(flights.callerCount) callers")
            return try await gated(report)
        }
        scenario.executor.drain()
        let joiner = Probe(on: scenario.executor) { try await joining.entries[0].value }
        scenario.executor.open(gate)
        expectEqual([first.value, joiner.value], [1, 1])
        expectEqual(scenario.journal.entries, ["2 callers", "start"])

        // Raised, and it does not fall again.
        do {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let caller = scenario.call(priority: .low) { [flights = scenario.flights, journal = scenario.journal] _ in
                flights.escalate("key", to: .high)
                flights.escalate("key", to: .medium)
                await gate.pass()
                journal.write("at \(Task.currentPriority.rawValue)")
                return 1
            }
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual(caller.value, 1)
            expectEqual(scenario.journal.entries, ["at 25"])
        }
    }
}
