// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// What goes through a flight that waits to the one that it waits for, and back: priority and progress.
@Suite(.balanced) struct FlightPredecessorProgressTests {
    enum Route: CaseIterable { case joins, isEscalated, isRaised }

    @Test(arguments: Route.allCases, seeds)
    func `no priority is lost on the way to the flight waited for`(route: Route, seed: UInt64) {
        let scenario = PredecessorScenario(seed: seed)
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
        gate.open()
        scenario.executor.drain()
        #expect(scenario.journal.entries.filter { !$0.hasPrefix("begin") } == ["slow", "medium"])
        #expect(Set(scenario.journal.entries).isSuperset(of: ["begin at 25", "begin at 21"]))
        #expect(slow.value == 101)
        #expect(medium.value == 101)
        #expect(late == nil || late?.value == 101)
        #expect(blocker.value != nil)
        #expect(scenario.isIdle)
    }

    @Test(arguments: seeds) func `the flight waited for waits at the priority of the one that waits for it`(
        seed: UInt64
    ) {
        let scenario = PredecessorScenario(seed: seed)
        let gate = Gate()
        let blocker = hold(scenario.slots, gate, on: scenario.executor)
        let slow = scenario.call("slow", priority: .low, operation: scenario.gated(gate, "slow"))
        scenario.executor.drain()
        let medium = scenario.call("medium", priority: .medium, operation: scenario.gated(gate, "medium"))
        scenario.executor.drain()
        gate.open()
        scenario.executor.drain()
        #expect(scenario.journal.entries.filter { !$0.hasPrefix("begin") } == ["medium", "slow"])
        #expect(slow.value == 101)
        #expect(medium.value == 101)
        #expect(blocker.value != nil)
        #expect(scenario.isIdle)
    }

    @Test(arguments: seeds) func `its progress is passed on in order, and late callers hear the latest at once`(
        seed: UInt64
    ) {
        let scenario = PredecessorScenario(seed: seed)
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
        #expect(early.entries.last == 3)
        #expect(late.entries == [3])
        gate.open()
        scenario.executor.drain()
        for heard in [early.entries, late.entries] {
            #expect(heard == heard.sorted())
            #expect(heard.last == 6)
        }
        #expect(first.value == 101)
        #expect(second.value == 101)
        #expect(scenario.isIdle)
    }

    @Test(arguments: seeds) func `the last report of a flight that is over is passed on, too`(seed: UInt64) {
        let scenario = PredecessorScenario(seed: seed)
        let (heard, calls) = (Journal<Int>(), Journal<Bool>())
        let caller = Probe(on: scenario.executor) {
            try await scenario.flights.value(
                for: "key", onProgress: { heard.write($0) },
                starting: { start in
                    let predecessor = try scenario.feeders.predecessor(for: "feeder", of: &start) { _ in
                        { report in
                            report(7)
                            return 1
                        }
                    }
                    // Whatever its first caller does, the feeder lands before the other flight waits for it.
                    calls.write(predecessor.caller.hasEnded)
                    return following(predecessor, scenario.journal)
                })
        }
        scenario.executor.drain()
        #expect(calls.entries == [true])
        #expect(caller.value == 101)
        #expect(heard.entries == [7])
        #expect(scenario.isIdle)
    }

    @Test(arguments: seeds) func `a report that is passed on late does not take the progress back`(seed: UInt64) {
        let (scenario, heard) = (FlightScenario(seed: seed), Journal<Int>())
        let caller = Probe(on: scenario.executor) { [flights = scenario.flights] in
            try await flights.value(
                for: "key", onProgress: { heard.write($0) },
                starting: { start in
                    // Stands for a flight that is over, two of whose reports have come in the wrong order.
                    start.wait = { call in
                        call((40, 4))
                        call((30, 3))
                        return nil
                    }
                    return { _ in 1 }
                })
        }
        scenario.executor.drain()
        #expect(caller.value == 1)
        #expect(heard.entries == [40])
    }

    @Test func `a report that comes late does not take the progress back`() throws {
        let flight = Flight("key", in: Flights(name: "test"), priority: 21)
        let (caller, _) = try #require(flight.join(21, isListening: true))
        flight.report(40, number: 4)
        flight.report(30, number: 3)
        #expect(caller.takeReport() == 40)
        flight.report(50)
        flight.land(.success(1))
        flight.report(60)
        #expect(caller.takeReport() == 50)
    }
}
