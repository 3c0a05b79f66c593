// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite(.balanced) struct FlightPriorityTests {
    enum Route: CaseIterable {
        case joins, joinsWithExplicitPriority, isEscalated, isAwaited, isRaised
    }

    @Test(arguments: Route.allCases, seeds)
    func `no inversion through continuations: a queued flight moves forward with its callers`(
        route: Route, seed: UInt64
    ) {
        let scenario = FlightScenario(seed: seed)
        let (slots, gate) = (Slots(limit: 1), Gate())
        let blocker = hold(slots, gate, on: scenario.executor)
        let slow = call("slow", .low, scenario, slots)
        let medium = call("medium", .medium, scenario, slots)
        expectEqual(slots.queued, 2)
        let late: Probe<Int>?
        switch route {
        case .joins: late = call("slow", .high, scenario, slots)
        case .joinsWithExplicitPriority: late = call("slow", .low, asking: .high, scenario, slots)
        case .isEscalated:
            slow.escalate(to: .high)
            late = nil
        case .isAwaited:
            late = Probe(on: scenario.executor, priority: .high) { try await slow.finish() }
        case .isRaised:
            scenario.flights.escalate("slow", to: .high)
            late = nil
        }
        scenario.executor.drain()
        scenario.executor.open(gate)
        expectEqual(scenario.journal.entries, ["slow at 25", "medium at 21"])
        expectEqual([slow.value, medium.value], [1, 1])
        expectAll((late == nil || late?.value == 1), blocker.value != nil)
    }

    @Test(arguments: [nil, TaskPriority.background], seeds)
    func `an escalation from before the call or the handler counts, and so does a priority below the caller's own`(
        asked: TaskPriority?, seed: UInt64
    ) {
        // An escalation from before the call counts like a later one.
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let caller = scenario.call(priority: .low, asking: asked) { [journal = scenario.journal] _ in
            await gate.pass()
            journal.write("at \(Task.currentPriority.rawValue)")
            return 1
        }
        caller.escalate(to: .high)
        scenario.executor.drain()
        scenario.executor.open(gate)
        expectEqual(caller.value, 1)
        expectEqual(scenario.journal.entries, ["at 25"])

        // An escalation missed before the handler is caught up.
        do {
            let scenario = FlightScenario(seed: seed)
            let (gate, callers) = (Gate(), Journal<Probe<Int>>())
            // A flight begins within its caller's call: after the caller's priority was read, before the handler is there.
            let caller = scenario.call(priority: .low) { [journal = scenario.journal] _ in
                callers.entries[0].escalate(to: .high)
                await gate.pass()
                journal.write("at \(Task.currentPriority.rawValue)")
                return 1
            }
            callers.write(caller)
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual(caller.value, 1)
            expectEqual(scenario.journal.entries, ["at 25"])
        }

        // An explicit priority below the caller's own is respected.
        do {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let caller = scenario.call(priority: .high, asking: .low) { [journal = scenario.journal] _ in
                journal.write("at \(Task.currentPriority.rawValue)")
                await gate.pass()
                journal.write("at \(Task.currentPriority.rawValue)")
                return 1
            }
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual(caller.value, 1)
            expectEqual(scenario.journal.entries, ["at 17", "at 17"])
        }
    }

    /// A caller whose operation waits for a slot and then notes at which priority it runs.
    private func call(
        _ key: String, _ priority: TaskPriority, asking asked: TaskPriority? = nil, _ scenario: FlightScenario,
        _ slots: Slots
    ) -> Probe<Int> {
        let caller = scenario.call(key, priority: priority, asking: asked) { [journal = scenario.journal] _ in
            try await slots.withSlot {
                journal.write("\(key) at \(Task.currentPriority.rawValue)")
                return 1
            }
        }
        scenario.executor.drain()
        return caller
    }
}
