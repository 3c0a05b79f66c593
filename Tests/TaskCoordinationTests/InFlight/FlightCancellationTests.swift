// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite(.balanced) struct FlightCancellationTests {
    @Test(arguments: seeds)
    func `a cancelled caller, also the first one, returns at once and leaves the others waiting`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<3).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        callers[1].cancel()
        scenario.executor.drain()
        expectAll(callers[1].wasCancelled, callers[0].isRunning, callers[2].isRunning)
        let late = scenario.callInTurn(operation: scenario.gated(gate))
        expectEqual(scenario.flights.callerCount, 3)
        scenario.executor.open(gate)
        expectEqual([callers[0].value, callers[2].value, late.value], [1, 1, 1])
        expectEqual(scenario.journal.entries, ["start"])

        // The first caller's cancellation does not govern the flight.
        do {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let first = scenario.callInTurn(operation: scenario.gated(gate))
            let second = scenario.callInTurn(operation: scenario.gated(gate))
            first.cancel()
            scenario.executor.drain()
            scenario.executor.open(gate)
            expect(first.wasCancelled)
            expectEqual(second.value, 1)
            expectEqual(scenario.journal.entries, ["start"])
        }
    }

    @Test(arguments: seeds)
    func `a flight ends with its last caller or by itself, and is not begun for a cancelled one`(seed: UInt64) {
        // The last caller out cancels the flight.
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<3).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        for caller in callers {
            expectEqual(scenario.journal.count(of: "cancel"), 0)
            caller.cancel()
            scenario.executor.drain()
            expect(caller.wasCancelled)
        }
        expectEqual(scenario.journal.entries, ["start", "cancel"])
        expectEqual(scenario.flights.count, 0)
        scenario.executor.open(gate)

        // Cancelled before the start: nothing hangs and nothing flies.
        do {
            let scenario = FlightScenario(seed: seed)
            let caller = scenario.call(operation: scenario.gated(Gate()))
            caller.cancel()
            scenario.executor.drain()
            expect(caller.wasCancelled)
            expectEqual([scenario.journal.count, scenario.flights.count], [0, 0])
        }

        // An operation that is cancelled by itself ends its callers with its error.
        do {
            let scenario = FlightScenario(seed: seed)
            let callers = (0..<2).map { _ in scenario.call { _ in throw CancellationError() } }
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.wasCancelled })
            expectEqual(scenario.flights.count, 0)
        }
    }

    @Test(arguments: seeds)
    func `a caller that comes while a flight unwinds gets a fresh one, apart from the old landing`(seed: UInt64) {
        // The old flight ends in time.
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh) = (Gate(), Gate())
        let first = scenario.callInTurn(operation: scenario.gated(doomed, 1))
        first.cancel()
        scenario.executor.drain()
        let second = scenario.callInTurn(operation: scenario.gated(fresh, 2))
        expect(first.wasCancelled)
        expectEqual(scenario.journal.entries, ["start", "cancel", "start"])
        scenario.executor.open(doomed)
        expect(second.isRunning)
        expectEqual(scenario.flights.count, 1, "the doomed flight has landed elsewhere")
        let third = scenario.callInTurn(operation: scenario.gated(fresh, 3))
        scenario.executor.open(fresh)
        expectEqual([second.value, third.value, scenario.flights.count], [2, 2, 0])

        // A value that comes from a doomed flight answers no caller.
        do {
            let scenario = FlightScenario(seed: seed)
            let (doomed, fresh) = (Gate(), Gate())
            let first = scenario.call { _ in
                await doomed.pass()
                return 1  // finishes in spite of its cancellation
            }
            scenario.executor.drain()
            first.cancel()
            scenario.executor.drain()
            let second = scenario.callInTurn(operation: scenario.gated(fresh, 2))
            scenario.executor.open(doomed)
            expectAll(first.wasCancelled, second.isRunning)
            scenario.executor.open(fresh)
            expectEqual(second.value, 2)
        }
    }

    @Test(arguments: seeds)
    func `last-token race: a caller that joins while the last one leaves is never cancelled with it`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let leaving = scenario.callInTurn(operation: scenario.gated(gate))
        let canceller = Probe(on: scenario.executor) { leaving.cancel() }
        let joining = scenario.callInTurn(operation: scenario.gated(gate))
        scenario.executor.open(gate)
        expect(leaving.wasCancelled)
        expectEqual(joining.value, 1)
        expect(!canceller.isRunning)
        let cancelled = scenario.journal.count(of: "cancel")
        expectEqual(scenario.journal.count(of: "start"), cancelled + 1, "no caller joins a cancelled flight")
    }

    @Test(arguments: seeds) func `second callback: cancelling together with the landing gives one answer`(seed: UInt64)
    {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let caller = scenario.call(operation: scenario.gated(gate))
        let other = scenario.callInTurn(operation: scenario.gated(gate))
        let canceller = Probe(on: scenario.executor) { caller.cancel() }
        let opener = Probe(on: scenario.executor) { gate.open() }
        scenario.executor.drain()
        expect(caller.wasCancelled != (caller.value == 1))
        expectEqual([other.value, scenario.flights.count], [1, 0])
        expectAll(!canceller.isRunning, !opener.isRunning)
        let settled = caller.value
        caller.cancel()
        scenario.executor.drain()
        expectEqual(caller.value, settled)
    }

    @Test(arguments: seeds) func `cancelled while it joins: the handler finds the cancellation`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let first = scenario.call { report in
            report(1)
            await gate.pass()
            return 1
        }
        scenario.executor.drain()
        let late = scenario.call(
            onProgress: { [journal = scenario.journal] _ in
                journal.write("joined")
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }, operation: scenario.gated(gate))
        scenario.executor.drain()
        expect(late.wasCancelled)
        expectEqual(scenario.journal.entries, ["joined"])
        expect(first.isRunning)
        scenario.executor.open(gate)
        expectEqual(first.value, 1)
    }
}
