// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

/// Operations that go on although their flights are over.
@Suite(.balanced, .timeLimit(.minutes(1))) struct FlightDetachTests {
    private struct Left: Error {}

    /// Detaches its flight, and goes on until the second gate opens.
    private static func detaching(
        _ detach: @escaping @Sendable (any Error) -> Bool, _ gates: [Gate], _ journal: Journal<String>
    ) -> Flights.Operation {
        { report in
            await gates[0].pass()
            journal.write("first \(detach(Left()))")
            journal.write("second \(detach(Left()))")
            report(1)
            await gates[1].pass()
            journal.write("cancelled \(Task.isCancelled)")
            return 1
        }
    }

    private static func call(
        _ scenario: FlightScenario, _ gates: [Gate], onProgress: (@Sendable (Int) -> Void)? = nil
    ) -> Probe<Int> {
        Probe(on: scenario.executor) { [flights = scenario.flights, journal = scenario.journal] in
            try await flights.value(
                for: "key", onProgress: onProgress,
                starting: { detaching($0.detach, gates, journal) })
        }
    }

    @Test(arguments: seeds) func `callers of a detached flight get its error, and no drain waits for its operation`(
        seed: UInt64
    ) {
        let slots = Slots(limit: 1)
        let scenario = FlightScenario(seed: seed, slots: slots)
        let (gates, heard) = ([Gate(), Gate()], Journal<Int>())
        let callers = (0..<3).map { _ in Self.call(scenario, gates) { heard.write($0) } }
        scenario.executor.drain()
        // Under every other seed the detached flight is the last one.
        let queued = seed.isMultiple(of: 2) ? scenario.call("other") { _ in 7 } : nil
        let drained = scenario.drain()
        scenario.executor.drain()
        #expect(queued?.value == nil)
        #expect(drained.isRunning)
        gates[0].open()
        scenario.executor.drain()
        #expect(callers.allSatisfy { $0.error is Left })
        #expect(drained.value != nil)
        #expect(queued == nil || queued?.value == 7)
        #expect(heard.count == 0)
        #expect(scenario.flights.operationCount == 1)
        #expect(scenario.flights.count == 0)
        let fresh = scenario.call { _ in 2 }
        scenario.executor.drain()
        #expect(fresh.value == 2, "a later caller has a flight of its own")
        gates[1].open()
        scenario.executor.drain()
        #expect(scenario.journal.entries == ["first true", "second false", "cancelled true"])
        #expect(scenario.flights.entryCount == 0)
        let gate = Gate()
        let next = scenario.call("next", operation: scenario.gated(gate))
        scenario.executor.drain()
        let drainedAgain = scenario.drain()
        scenario.executor.drain()
        #expect(drainedAgain.isRunning, "it is counted once that the operation is gone")
        let last = scenario.call("last", operation: scenario.gated(gate))
        scenario.executor.drain()
        #expect(slots.running == 1, "the slot was given back once")
        #expect(slots.queued == 1, "the slot was given back once")
        gate.open()
        scenario.executor.drain()
        #expect(next.value == 1)
        #expect(last.value == 1)
        #expect(drainedAgain.value != nil)
        #expect(slots.running == 0)
    }

    @Test(arguments: seeds) func `an operation that detaches its flight where it begins is cancelled, too`(
        seed: UInt64
    ) {
        let scenario = FlightScenario(seed: seed)
        let (gates, open) = ([Gate(), Gate()], Gate())
        open.open()
        let caller = Self.call(scenario, [open, gates[1]])
        scenario.executor.drain()
        #expect(caller.error is Left)
        #expect(scenario.flights.operationCount == 1)
        gates[1].open()
        scenario.executor.drain()
        #expect(scenario.journal.entries.last == "cancelled true")
        #expect(scenario.flights.operationCount == 0)
    }

    @Test(arguments: seeds) func `detaching together with the return, or with the last caller's leaving, counts once`(
        seed: UInt64
    ) {
        let slots = Slots(limit: 2)
        let scenario = FlightScenario(seed: seed, slots: slots)
        let (handles, gate) = (Journal<@Sendable (any Error) -> Bool>(), Gate())
        let callers = (0..<4).map { number in
            Probe(on: scenario.executor) { [flights = scenario.flights] in
                try await flights.value(
                    for: "\(number)",
                    starting: { start in
                        handles.write(start.detach)
                        return { _ in
                            await gate.pass()
                            for _ in 0..<number { await Task.yield() }
                            return number
                        }
                    })
            }
        }
        scenario.executor.drain()
        gate.open()
        let detaching = handles.entries.map { handle in
            Probe(on: scenario.executor) { _ = handle(Left()) }
        }
        if seed.isMultiple(of: 3) { callers[Int(seed / 3) % 4].cancel() }
        scenario.executor.drain()
        for (number, caller) in callers.enumerated() {
            #expect(caller.value == number || caller.error is Left || caller.wasCancelled)
        }
        #expect(detaching.allSatisfy { $0.value != nil })
        #expect(slots.running + slots.queued == 0)
        #expect(scenario.flights.operationCount == 0)
        #expect(scenario.flights.count == 0)
    }
}
