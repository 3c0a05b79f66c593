// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
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
        expect(callers.allSatisfy { $0.wasCancelled })
        expectEqual([scenario.flights.count, scenario.journal.count(of: "cancel")], [0, 2])
        let drained = scenario.drain()
        scenario.executor.drain()
        for gate in seed % 2 == 0 ? gates : gates.reversed() {
            expect(drained.isRunning, "an operation has not returned")
            scenario.executor.open(gate)
        }
        expect(drained.value != nil)
    }

    @Test(arguments: seeds)
    func `the flights of some keys are cancelled, and a caller that comes next has one of its own`(seed: UInt64) {
        let (scenario, gate) = (FlightScenario(seed: seed), Gate())
        let callers = (0..<6).map { scenario.call("key \($0 % 3)", operation: scenario.gated(gate)) }
        scenario.executor.drain()
        scenario.flights.cancel { $0 != "key 1" }
        let next = scenario.call("key 0", operation: { _ in 7 })
        scenario.executor.drain()
        expectEqual(callers.map(\.wasCancelled), [true, false, true, true, false, true])
        expectEqual(next.value, 7)
        scenario.executor.open(gate)
        expectAll(callers[1].value != nil, callers[4].value != nil)
    }

    @Test(arguments: [false, true], seeds)
    func `a caller that comes while everything is cancelled gets a flight of its own`(byKey: Bool, seed: UInt64) {
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
        let canceller = Probe(on: scenario.executor) { [flights = scenario.flights] in
            if byKey { flights.cancel { _ in true } } else { flights.cancelAll() }
        }
        scenario.executor.drain()
        doomed.open()
        let joiners = joining.entries.map { task in Probe(on: scenario.executor) { try await task.value } }
        scenario.executor.drain()
        expectAll(canceller.value != nil, callers.allSatisfy { $0.wasCancelled })
        expectEqual(joiners.count, 2)
        expect(joiners.allSatisfy { $0.value == 2 })
    }

    @Test(arguments: seeds)
    func `draining waits for flights that their callers have left, and is not cut short by cancellation`(seed: UInt64) {
        // A flight that its callers have left is awaited too.
        let scenario = FlightScenario(seed: seed)
        let (doomed, flying) = (Gate(), Gate())
        let leaving = scenario.call("doomed", operation: scenario.gated(doomed))
        let staying = scenario.callInTurn("flying", operation: scenario.gated(flying, 2))
        leaving.cancel()
        scenario.executor.drain()
        let drained = scenario.drain()
        scenario.executor.drain()
        expectAll(leaving.wasCancelled, drained.isRunning)
        scenario.executor.open(doomed)
        expect(drained.isRunning, "a flight in the air is waited for as well")
        expect(staying.isRunning, "a flight in the air is waited for as well")
        scenario.executor.open(flying)
        expect(drained.value != nil)
        expectEqual(staying.value, 2)

        // Draining is not cut short by cancellation.
        do {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let caller = scenario.callInTurn(operation: scenario.gated(gate))
            caller.cancel()
            let drained = scenario.drain()
            scenario.executor.drain()
            drained.cancel()
            scenario.executor.drain()
            let again = scenario.drain()
            scenario.executor.drain()
            expectAll(drained.isRunning, again.isRunning)
            scenario.executor.open(gate)
            expectAll(drained.value != nil, again.value != nil)
        }
    }

    @Test(arguments: seeds) func `a closed table refuses newcomers and lands the flights in the air`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let gate = Gate()
        let caller = scenario.callInTurn(operation: scenario.gated(gate))
        scenario.flights.close()
        let late = scenario.callInTurn(operation: scenario.gated(gate))
        let error = late.error as? CoordinationError
        expectEqual(error?.code, .shutDown)
        expectEqual(error?.message.contains("test"), true)
        expect(caller.isRunning)
        scenario.executor.open(gate)
        expectEqual(caller.value, 1)
        expectEqual(scenario.journal.entries, ["start"])
    }
}

// MARK: - In slices

/// An operation that ends when it is cancelled, and not before.
private func untilCancelled(_ report: @Sendable (Int) -> Void) async throws -> Int {
    await OneShot<Void>().wait(onCancel: ())
    throw CancellationError()
}

extension FlightShutdownTests {
    @Test(arguments: seeds.prefix(20))
    func `cancelling 1,000 flights ends every caller, and those that come meanwhile have flights of their own`(
        seed: UInt64
    ) {
        let scenario = FlightScenario(seed: seed)
        var random = SeededGenerator(seed: seed)
        let gate = Gate()
        let doomed = (0..<1_000).map { scenario.call("\($0)", operation: untilCancelled) }
        scenario.executor.drain()
        scenario.flights.cancelAll()
        expectEqual(scenario.flights.count, 0)
        let drained = scenario.drain()
        // Some of the flights end within the call. The steps are too few for all the others.
        scenario.executor.run(steps: Int.random(in: 0..<900, using: &random))
        let fresh = (0..<50).map { scenario.call("\($0 * 20)", operation: scenario.gated(gate, $0)) }
        scenario.executor.drain()
        expectAll(doomed.allSatisfy { $0.wasCancelled }, fresh.allSatisfy { $0.isRunning })
        expectEqual(scenario.flights.count, 50)
        expectAll(scenario.journal.entries.allSatisfy { $0 == "start" }, drained.isRunning)
        scenario.executor.open(gate)
        expectEqual(fresh.map(\.value), (0..<50).map { $0 })
        expect(drained.value != nil)
    }

    @Test(arguments: [nil, 3], seeds.prefix(20))
    func `everything is cancelled again between the slices: each caller before that ends, and each later one stays`(
        limit: Int?, seed: UInt64
    ) {
        let slots = limit.map { Slots(limit: $0) }
        let scenario = FlightScenario(seed: seed, slots: slots)
        var random = SeededGenerator(seed: seed)
        let gate = Gate()
        var doomed: [Probe<Int>] = []
        for _ in 0..<3 {
            doomed += (0..<300).map { scenario.call("\($0)", operation: untilCancelled) }
            // Some callers have not called yet when everything is cancelled, and some slices are still to come.
            scenario.executor.run(steps: Int.random(in: 100..<900, using: &random))
            scenario.flights.cancelAll()
            scenario.executor.run(steps: Int.random(in: 0..<300, using: &random))
        }
        scenario.executor.drain()
        scenario.flights.cancelAll()
        let drained = scenario.drain()
        scenario.executor.run(steps: Int.random(in: 0..<100, using: &random))
        let fresh = (0..<50).map { scenario.call("\($0)", operation: scenario.gated(gate, $0)) }
        scenario.executor.drain()
        expectAll(doomed.allSatisfy { $0.wasCancelled }, fresh.allSatisfy { $0.isRunning })
        scenario.executor.open(gate)
        expectEqual(fresh.map(\.value), (0..<50).map { $0 })
        expect(drained.value != nil)
    }

    @Test func `a call cancels no more than a slice of the flights itself, and the first of them at once`() {
        let scenario = FlightScenario(seed: 0)
        let gate = Gate()
        let callers = (0..<1_000).map { scenario.call("\($0)", operation: scenario.gated(gate)) }
        scenario.executor.drain()
        scenario.flights.cancelAll()
        let cancelled = scenario.journal.count(of: "cancel")
        expect(cancelled, >, 0)
        expect(cancelled, <, 500)
        scenario.executor.drain()
        expectEqual(scenario.journal.count(of: "cancel"), 1_000)
        expect(callers.allSatisfy { $0.wasCancelled })
        gate.open()
    }
}
