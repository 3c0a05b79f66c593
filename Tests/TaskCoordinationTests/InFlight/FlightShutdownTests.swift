import TaskCoordination
import Testing
import WebImageTesting

@Suite(.balanced) struct FlightShutdownTests {
    @Test(arguments: seeds) func `cancelling everything ends every caller once and drains what unwinds`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gates = [Gate(), Gate()]
        let callers = (0..<6).map { scenario.call("key \($0 % 2)", operation: scenario.gated(gates[$0 % 2])) }
        scenario.executor.drain()
        scenario.flights.cancelAll()
        scenario.executor.drain()
        #expect(callers.allSatisfy(\.wasCancelled) && scenario.flights.count == 0)
        #expect(scenario.journal.count(of: "cancel") == 2)
        let drained = scenario.drain()
        scenario.executor.drain()
        for gate in seed % 2 == 0 ? gates : gates.reversed() {
            #expect(drained.isRunning, "an operation has not returned")
            gate.open()
            scenario.executor.drain()
        }
        #expect(drained.value != nil)
    }

    @Test(arguments: seeds) func `whoever comes while everything is cancelled gets a flight of its own`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, joining) = (Gate(), Journal<Task<Int, any Error>>())
        let fresh: Flights.Operation = { _ in 2 }
        // Each, when it is cancelled, asks for the other one, which may not have been cancelled yet.
        let callers = [("one", "two"), ("two", "one")].map { own, other in
            scenario.call(own) { [flights = scenario.flights, executor = scenario.executor] _ in
                await withTaskCancellationHandler {
                    await doomed.pass()
                } onCancel: {
                    joining.write(
                        Task.immediate(executorPreference: executor) {
                            try await flights.value(for: other, operation: fresh)
                        })
                }
                return 1
            }
        }
        scenario.executor.drain()
        let canceller = Probe(on: scenario.executor) { [flights = scenario.flights] in flights.cancelAll() }
        scenario.executor.drain()
        doomed.open()
        let joiners = joining.entries.map { task in Probe(on: scenario.executor) { try await task.value } }
        scenario.executor.drain()
        #expect(canceller.value != nil && callers.allSatisfy(\.wasCancelled))
        #expect(joiners.count == 2 && joiners.allSatisfy { $0.value == 2 })
    }

    @Test(arguments: seeds) func `a flight that its callers have left is awaited too`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, flying) = (Gate(), Gate())
        let leaving = scenario.call("doomed", operation: scenario.gated(doomed))
        let staying = scenario.call("flying", operation: scenario.gated(flying, 2))
        scenario.executor.drain()
        leaving.cancel()
        scenario.executor.drain()
        let drained = scenario.drain()
        scenario.executor.drain()
        #expect(leaving.wasCancelled && drained.isRunning)
        doomed.open()
        scenario.executor.drain()
        #expect(drained.isRunning && staying.isRunning, "a flight in the air is waited for as well")
        flying.open()
        scenario.executor.drain()
        #expect(drained.value != nil && staying.value == 2)
    }

    @Test(arguments: seeds) func `draining is not cut short by cancellation`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let caller = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        caller.cancel()
        let drained = scenario.drain()
        scenario.executor.drain()
        drained.cancel()
        scenario.executor.drain()
        let again = scenario.drain()
        scenario.executor.drain()
        #expect(drained.isRunning && again.isRunning)
        gate.open()
        scenario.executor.drain()
        #expect(drained.value != nil && again.value != nil)
    }

    @Test(arguments: seeds) func `a closed table refuses newcomers and lands who flies`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let caller = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        scenario.flights.close()
        let late = scenario.call(operation: scenario.gated(gate))
        scenario.executor.drain()
        let error = late.error as? CoordinationError
        #expect(error?.code == .shutDown && error?.message.contains("test") == true && caller.isRunning)
        gate.open()
        scenario.executor.drain()
        #expect(caller.value == 1 && scenario.journal.entries == ["start"])
    }

    @Test(arguments: seeds) func `newcomers after a general cancellation fly afresh`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh) = (Gate(), Gate())
        let first = scenario.call(operation: scenario.gated(doomed, 1))
        scenario.executor.drain()
        let ending = Probe(on: scenario.executor) { [flights = scenario.flights] in flights.cancelAll() }
        scenario.executor.drain()
        let second = scenario.call(operation: scenario.gated(fresh, 2))
        scenario.executor.drain()
        doomed.open()
        scenario.executor.drain()
        fresh.open()
        scenario.executor.drain()
        #expect(first.wasCancelled && second.value == 2 && ending.value != nil)
    }

    @Test(arguments: seeds) func `a caller who leaves late does not disturb the fresh flight`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh) = (Gate(), Gate())
        let first = scenario.call(operation: scenario.gated(doomed, 1))
        scenario.executor.drain()
        // In some orders the second caller starts its flight before the first one has woken up and left.
        let ending = Probe(on: scenario.executor) { [flights = scenario.flights] in flights.cancelAll() }
        let second = scenario.call(operation: scenario.gated(fresh, 2))
        scenario.executor.drain()
        #expect(first.wasCancelled && ending.value != nil)
        #expect(scenario.flights.count == (second.isRunning ? 1 : 0))
        fresh.open()
        doomed.open()
        scenario.executor.drain()
        #expect(second.wasCancelled || second.value == 2)
    }
}
