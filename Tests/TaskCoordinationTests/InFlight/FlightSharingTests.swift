// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@TaskLocal private var tenant = "none"

@Suite(.balanced) struct FlightSharingTests {
    @Test(arguments: seeds) func `no reentrancy between lookup and insert: equal keys share one flight`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<20).map { _ in scenario.call(operation: scenario.gated(gate, 7)) }
        scenario.executor.drain()
        expect(callers.allSatisfy { $0.isRunning })
        expectEqual(scenario.flights.count, 1)
        scenario.executor.open(gate)
        expect(callers.allSatisfy { $0.value == 7 })
        expectEqual(scenario.journal.entries, ["start"])
        expectEqual(scenario.flights.count, 0)
    }

    @Test(arguments: seeds)
    func `a flight is shared by equal keys in the air: other keys, and later callers, have their own`(seed: UInt64) {
        // Different keys fly apart.
        let scenario = FlightScenario(seed: seed)
        let (slow, quick) = (Gate(), Gate())
        let one = scenario.call("one", operation: scenario.gated(slow, 1))
        let other = scenario.callInTurn("other", operation: scenario.gated(quick, 2))
        expectEqual(scenario.flights.count, 2)
        scenario.executor.open(quick)
        expect(one.isRunning)
        expectEqual([other.value, scenario.flights.count], [2, 1])
        scenario.executor.open(slow)
        expectEqual(one.value, 1)

        // A landed flight is not joined again.
        do {
            let scenario = FlightScenario(seed: seed)
            for round in 1...3 {
                let caller = scenario.call { _ in round }
                scenario.executor.drain()
                expectEqual(caller.value, round)
                expectEqual(scenario.flights.count, 0)
            }
        }

        // An error reaches every caller and is not remembered.
        do {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let callers = (0..<3).map { _ in
                scenario.call { _ in
                    await gate.pass()
                    throw Broken()
                }
            }
            scenario.executor.drain()
            scenario.executor.open(gate)
            expect(callers.allSatisfy { $0.error is Broken })
            let again = scenario.call { _ in 5 }
            scenario.executor.drain()
            expectEqual(again.value, 5)
        }
    }

    @Test(arguments: seeds) func `task-local values of the first caller do not govern shared work`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let caller = $tenant.withValue("first") {
            scenario.call { [journal = scenario.journal] _ in
                journal.write(tenant)
                return 1
            }
        }
        scenario.executor.drain()
        expectEqual(caller.value, 1)
        expectEqual(scenario.journal.entries, ["none"])
    }

    @Test(.timeLimit(.minutes(1))) func `heavy work does not run on the actor, which stays free`() async throws {
        let flights = Flights(name: "test")
        let blocked = Blocker()
        let caller = Probe {
            try await flights.value(for: "key") { _ in
                blocked.block()
                return 1
            }
        }
        await blocked.reached()
        expectEqual(flights.count, 1, "the actor answers while the operation blocks its thread")
        blocked.release()
        try await expectEqual(caller.finish(), 1)
    }
}
