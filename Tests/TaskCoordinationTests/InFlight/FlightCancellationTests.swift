import TaskCoordination
import Testing
import WebImageTesting

@Suite(.balanced) struct FlightCancellationTests {
    @Test(arguments: seeds) func `a cancelled caller returns at once and leaves the others waiting`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<3).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        callers[1].cancel()
        scenario.executor.drain()
        #expect(callers[1].wasCancelled && callers[0].isRunning && callers[2].isRunning)
        let late = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        #expect(scenario.flights.callerCount == 3)
        gate.open()
        scenario.executor.drain()
        #expect(callers[0].value == 1 && callers[2].value == 1 && late.value == 1)
        #expect(scenario.journal.entries == ["start"])
    }

    @Test(arguments: seeds) func `the first caller's cancellation does not govern the flight`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let first = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        let second = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        first.cancel()
        scenario.executor.drain()
        gate.open()
        scenario.executor.drain()
        #expect(first.wasCancelled && second.value == 1 && scenario.journal.entries == ["start"])
    }

    @Test(arguments: seeds) func `the last caller out cancels the flight`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let callers = (0..<3).map { _ in scenario.call(operation: scenario.gated(gate)) }
        scenario.executor.drain()
        for caller in callers {
            #expect(scenario.journal.count(of: "cancel") == 0)
            caller.cancel()
            scenario.executor.drain()
            #expect(caller.wasCancelled)
        }
        #expect(scenario.journal.entries == ["start", "cancel"] && scenario.flights.count == 0)
        gate.open()
        scenario.executor.drain()
    }

    @Test(arguments: seeds)
    func `whoever comes while a flight unwinds gets a fresh one, which the old landing does not remove`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh) = (Gate(), Gate())
        let first = scenario.call(operation: scenario.gated(doomed, 1))
        scenario.executor.drain()
        first.cancel()
        scenario.executor.drain()
        let second = scenario.call(operation: scenario.gated(fresh, 2))
        scenario.executor.drain()
        #expect(first.wasCancelled && scenario.journal.entries == ["start", "cancel", "start"])
        doomed.open()
        scenario.executor.drain()
        #expect(second.isRunning && scenario.flights.count == 1, "the doomed flight has landed elsewhere")
        let third = scenario.call(operation: scenario.gated(fresh, 3))
        scenario.executor.drain()
        fresh.open()
        scenario.executor.drain()
        #expect(second.value == 2 && third.value == 2 && scenario.flights.count == 0)
    }

    @Test(arguments: seeds) func `a value that comes from a doomed flight answers nobody`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh) = (Gate(), Gate())
        let first = scenario.call { _ in
            await doomed.pass()
            return 1  // finishes in spite of its cancellation
        }
        scenario.executor.drain()
        first.cancel()
        scenario.executor.drain()
        let second = scenario.call(operation: scenario.gated(fresh, 2))
        scenario.executor.drain()
        doomed.open()
        scenario.executor.drain()
        #expect(first.wasCancelled && second.isRunning)
        fresh.open()
        scenario.executor.drain()
        #expect(second.value == 2)
    }

    @Test(arguments: seeds)
    func `last-token race: who joins while the last caller leaves is never cancelled with it`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let leaving = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        let canceller = Probe(on: scenario.executor) { leaving.cancel() }
        let joining = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        gate.open()
        scenario.executor.drain()
        #expect(leaving.wasCancelled && joining.value == 1 && !canceller.isRunning)
        let cancelled = scenario.journal.count(of: "cancel")
        #expect(scenario.journal.count(of: "start") == cancelled + 1, "a cancelled flight is joined by nobody")
    }

    @Test(arguments: seeds) func `second callback: cancelling together with the landing gives one answer`(seed: UInt64)
    {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let caller = scenario.call(operation: scenario.gated(gate))
        let other = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        let canceller = Probe(on: scenario.executor) { caller.cancel() }
        let opener = Probe(on: scenario.executor) { gate.open() }
        scenario.executor.drain()
        #expect(caller.wasCancelled != (caller.value == 1))
        #expect(other.value == 1 && scenario.flights.count == 0 && !canceller.isRunning && !opener.isRunning)
        let settled = caller.value
        caller.cancel()
        scenario.executor.drain()
        #expect(caller.value == settled)
    }

    @Test(arguments: seeds) func `cancelled before the start: nothing hangs and nothing flies`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let caller = scenario.call(operation: scenario.gated(Gate()))
        caller.cancel()
        scenario.executor.drain()
        #expect(caller.wasCancelled && scenario.journal.count == 0 && scenario.flights.count == 0)
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
        #expect(late.wasCancelled && scenario.journal.entries == ["joined"] && first.isRunning)
        gate.open()
        scenario.executor.drain()
        #expect(first.value == 1)
    }

    @Test(arguments: seeds) func `an operation that is cancelled by itself ends its callers with its error`(
        seed: UInt64
    ) {
        let scenario = FlightScenario(seed: seed)
        let callers = (0..<2).map { _ in scenario.call { _ in throw CancellationError() } }
        scenario.executor.drain()
        #expect(callers.allSatisfy(\.wasCancelled) && scenario.flights.count == 0)
    }
}
