// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Flights that wait for slots, and callers that do not wait for them.
@Suite(.balanced) struct FlightSlotsLeavingTests {
    @Test(arguments: seeds)
    func `a queued flight that its last caller leaves never begins, and is not joined later`(seed: UInt64) throws {
        // A queued flight that its last caller leaves never begins and costs no slot.
        let (slots, gate) = (Slots(limit: 1, maximumQueueLength: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let callers = (0..<3).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        let drained = scenario.drain()
        for caller in callers {
            scenario.executor.drain()
            expectEqual([slots.queued, scenario.flights.count], [1, 1])
            expect(drained.isRunning)
            caller.cancel()
            scenario.executor.drain()
            expect(caller.wasCancelled)
        }
        expectEqual([slots.queued, scenario.flights.count], [0, 0])
        expectAll(drained.value != nil, blocker.isRunning)
        let next = scenario.call("next") { _ in 2 }
        scenario.executor.drain()
        scenario.executor.open(gate)
        expectEqual(next.value, 2)
        expect(blocker.value != nil)
        expectEqual(scenario.journal.count, 0)
        expectAllFree(slots, on: scenario.executor)

        // A caller that comes after the last one of a queued flight has left gets a fresh flight.
        do {
            let (slots, gate) = (Slots(limit: 1), Gate())
            let scenario = FlightScenario(seed: seed, slots: slots)
            let blocker = hold(slots, gate, on: scenario.executor)
            let first = scenario.callInTurn(operation: scenario.gated(gate, 1))
            first.cancel()
            expectEqual(slots.queued, 0, "in the cancellation itself")
            expectEqual(scenario.flights.count, 0, "in the cancellation itself")
            let second = scenario.callInTurn(operation: scenario.gated(gate, 2))
            expectAll(first.wasCancelled, second.isRunning)
            expectEqual(slots.queued, 1)
            scenario.executor.open(gate)
            expectEqual(second.value, 2)
            expectEqual(scenario.journal.entries, ["start"])
            expect(blocker.value != nil)
            expectAllFree(slots, on: scenario.executor)
        }

        // A flight that is left between its grant and its start never begins.
        do {
            let (slots, gate) = (Slots(limit: 1), Gate())
            let scenario = FlightScenario(seed: seed, slots: slots)
            let (flights, executor) = (scenario.flights, scenario.executor)
            let blocker = hold(slots, gate, on: executor)
            let (flight, _, number) = try flights.join(
                "key", 21, lane: { "" }, from: nil, isListening: false, hearing: nil
            ) { _ in
                scenario.gated(gate)
            }
            // Stands for a grant that another thread has in hand: the flight can no longer leave the queue by itself.
            flight.state.withLock { $0.handles.place = nil }
            flight.leave(number)
            let drained = scenario.drain()
            executor.drain()
            expect(drained.isRunning)
            expectEqual([slots.queued, flights.count], [1, 0])
            executor.open(gate)
            expect(drained.value != nil)
            expectEqual(scenario.journal.count, 0)
            expect(blocker.value != nil)
            expectAllFree(slots, on: executor)
        }
    }

    @Test(arguments: seeds) func `callers leave at any moment: no caller hangs, and no slot is lost`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let slots = Slots(limit: 2)
        let scenario = FlightScenario(seed: seed, slots: slots)
        let (gates, steps) = ((0..<5).map { _ in Gate() }, Journal<Int>())
        var callers: [(key: Int, mayBeCancelled: Bool, probe: Probe<Int>)] = []
        func call(_ key: Int) {
            let probe = scenario.call("key \(key)") { _ in
                steps.write(1)
                defer { steps.write(-1) }
                await gates[key].pass()
                if key == 4 { throw Broken() }
                return key
            }
            callers.append((key, false, probe))
        }
        for _ in 0..<60 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1: call(Int.random(in: 0..<5, using: &random))
            case 2 where !callers.isEmpty:
                let place = Int.random(in: callers.indices, using: &random)
                callers[place].mayBeCancelled = true
                callers[place].probe.cancel()
            case 3: gates.randomElement(using: &random)?.open()
            case 4: scenario.flights.escalate("key \(Int.random(in: 0..<5, using: &random))", to: .high)
            default: scenario.executor.run(steps: Int.random(in: 1..<6, using: &random))
            }
        }
        let drained = scenario.drain()
        for gate in gates { gate.open() }
        scenario.executor.drain()
        for (key, mayBeCancelled, probe) in callers {
            let hasLanded = key == 4 ? probe.error is Broken : probe.value == key
            expect(hasLanded || mayBeCancelled && probe.wasCancelled)
        }
        expect(drained.value != nil)
        expectEqual(scenario.flights.count, 0)
        expect(mostAtOnce(steps.entries), <=, 2)
        expectAllFree(slots, on: scenario.executor)
    }

    @Test(arguments: [false, true], seeds)
    func `a flight cancelled together with its grant never begins or unwinds, and gives its slot on`(
        cancelsAll: Bool, seed: UInt64
    ) {
        let (slots, gate) = (Slots(limit: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let others = Flights(name: "others", executor: scenario.executor, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let first = scenario.callInTurn(operation: scenario.gated(gate, 1))
        let next = Probe(on: scenario.executor) { try await others.value(for: "next") { _ in 2 } }
        scenario.executor.drain()
        let canceller = Probe(on: scenario.executor) { [flights = scenario.flights] in
            if cancelsAll { flights.cancelAll() } else { first.cancel() }
        }
        let opener = Probe(on: scenario.executor) { gate.open() }
        scenario.executor.drain()
        let drained = scenario.drain()
        scenario.executor.drain()
        expect(first.wasCancelled != (first.value == 1))
        expectEqual(next.value, 2)
        expect(drained.value != nil)
        let begun = scenario.journal.count(of: "start")
        expect(begun, >=, scenario.journal.count(of: "cancel"))
        expectAll(begun == 1 || first.wasCancelled, !canceller.isRunning, !opener.isRunning)
        expect(!blocker.isRunning)
        expectEqual(scenario.flights.count, 0)
        expectAllFree(slots, on: scenario.executor)
    }

    @Test(arguments: seeds) func `cancelling everything ends queued flights unbegun and drains those that run`(
        seed: UInt64
    ) {
        let (slots, gate) = (Slots(limit: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let flying = scenario.callInTurn("flying", operation: scenario.gated(gate))
        let queued = (0..<6).map { scenario.call("key \($0 % 3)", operation: scenario.gated(gate)) }
        scenario.executor.drain()
        expectEqual(slots.queued, 3)
        scenario.flights.cancelAll()
        expectEqual(slots.queued, 0, "in the call itself")
        expectEqual(scenario.flights.count, 0, "in the call itself")
        let drained = scenario.drain()
        scenario.executor.drain()
        expectAll(flying.wasCancelled, queued.allSatisfy { $0.wasCancelled }, drained.isRunning)
        scenario.executor.open(gate)
        expect(drained.value != nil)
        expectEqual(scenario.journal.entries, ["start", "cancel"])
        expectAllFree(slots, on: scenario.executor)
    }

    enum WayOut: CaseIterable { case all, caller, byItself }

    @Test(arguments: WayOut.allCases, seeds)
    func `cancelled before it has its place: a flight leaves the queue again and never begins`(
        way: WayOut, seed: UInt64
    ) {
        let (slots, gate) = (Slots(limit: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let callers = Journal<Probe<Int>>()
        let caller = scenario.call(
            onStart: { [flights = scenario.flights] in
                switch way {
                case .all: flights.cancelAll()
                case .caller: callers.entries[0].cancel()
                case .byItself: unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                }
            }, operation: scenario.gated(gate))
        callers.write(caller)
        scenario.executor.drain()
        let drained = scenario.drain()
        scenario.executor.drain()
        expect(caller.wasCancelled)
        expectEqual([slots.queued, scenario.flights.count], [0, 0])
        expect(drained.value != nil)
        scenario.executor.open(gate)
        expectEqual(scenario.journal.count, 0)
        expect(blocker.value != nil)
        expectAllFree(slots, on: scenario.executor)
    }
}
