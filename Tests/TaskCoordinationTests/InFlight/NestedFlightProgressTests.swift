// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// What goes through a flight that waits to the one that it waits for, and back: priority and progress.
@Suite(.balanced) struct NestedFlightProgressTests {
    enum Route: CaseIterable { case joins, isEscalated, isRaised }

    @Test(arguments: Route.allCases, seeds)
    func `no priority is lost on the way to the flight waited for`(route: Route, seed: UInt64) {
        let scenario = NestedScenario(seed: seed)
        let gate = Gate()
        let blocker = hold(scenario.slots, gate, on: scenario.executor)
        let slow = scenario.call("slow", priority: .low, operation: scenario.gated(gate, "slow"))
        let medium = scenario.call("medium", priority: .medium, operation: scenario.gated(gate, "medium"))
        scenario.executor.drain()
        var late: Probe<Int>?
        switch route {
        case .joins: late = scenario.call("slow", priority: .high, operation: scenario.gated(gate))
        case .isEscalated: slow.escalate(to: .high)
        case .isRaised: scenario.flights.escalate("slow", to: .high)
        }
        scenario.executor.drain()
        scenario.executor.open(gate)
        expectEqual(scenario.journal.entries.filter { !$0.hasPrefix("begin") }, ["slow", "medium"])
        expect(Set(scenario.journal.entries).isSuperset(of: ["begin at 25", "begin at 21"]))
        expectEqual([slow.value, medium.value], [101, 101])
        expectAll(late == nil || late?.value == 101, blocker.value != nil, scenario.isIdle)
    }

    @Test(arguments: seeds)
    func `progress is passed on in order, late callers hear the latest, a landed flight takes none`(
        seed: UInt64
    ) throws {
        // Its progress is passed on in order, and late callers hear the latest at once.
        let scenario = NestedScenario(seed: seed)
        let (gate, early, late) = (Gate(), Journal<Int>(), Journal<Int>())
        let feed: Flights.Operation = { report in
            for number in 1...3 { report(number) }
            await gate.pass()
            for number in 4...6 { report(number) }
            return 1
        }
        let first = scenario.call("one", feeder: "feeder", onProgress: { early.write($0) }, operation: feed)
        scenario.executor.drain()
        let second = scenario.call("two", feeder: "feeder", onProgress: { late.write($0) }, operation: feed)
        scenario.executor.drain()
        expectEqual(early.entries.last, 3)
        expectEqual(late.entries, [3])
        scenario.executor.open(gate)
        for heard in [early.entries, late.entries] {
            expectEqual(heard, heard.sorted())
            expectEqual(heard.last, 6)
        }
        expectEqual([first.value, second.value], [101, 101])
        expect(scenario.isIdle)

        // A flight that has landed takes no report, and its callers hear the last one before.
        let flight = Flight("key", in: Flights(name: "test"), priority: 21)
        let (caller, _) = try required(flight.join(21, isListening: true))
        flight.report(40)
        flight.report(50)
        flight.land(.success(1))
        flight.report(60)
        expectEqual(caller.takeReport(), 50)
    }
}
