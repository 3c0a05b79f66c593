// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// What comes between a caller's leaving and its waking up.
@Suite(.balanced) struct FlightLeavingTests {
    @Test(arguments: seeds)
    func `a caller that comes in the middle of the last one's leaving gets a flight of its own, which stays`(
        seed: UInt64
    ) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh, joining) = (Gate(), Gate(), Journal<Task<Int, any Error>>())
        let leaving = scenario.call { [flights = scenario.flights, executor = scenario.executor] _ in
            await withTaskCancellationHandler {
                await doomed.pass()
            } onCancel: {
                let caller = Task.immediate(executorPreference: executor) {
                    try await flights.value(for: "key", operation: scenario.gated(fresh, 2))
                }
                joining.write(caller)
            }
            return 1
        }
        scenario.executor.drain()
        let canceller = Probe(on: scenario.executor) { leaving.cancel() }
        scenario.executor.drain()
        expect(leaving.wasCancelled)
        expectEqual(scenario.flights.count, 1)
        expect(!canceller.isRunning)
        let late = scenario.call(operation: scenario.gated(fresh, 3))
        let joiner = Probe(on: scenario.executor) { try await joining.entries[0].value }
        scenario.executor.drain()
        fresh.open()
        scenario.executor.open(doomed)
        expectEqual([joiner.value, late.value], [2, 2])
        expectEqual(scenario.journal.entries, ["start"])
    }

    @Test(arguments: [true, false], seeds)
    func `a caller that has left is told so, also when the flight lands before it wakes up`(isAlone: Bool, seed: UInt64)
    {
        let listen: @Sendable (Int) -> Void = { _ in }
        for onProgress in [nil, listen] {
            let scenario = FlightScenario(seed: seed)
            let gate = Gate()
            let callers = (0..<(isAlone ? 1 : 2)).map { _ in
                scenario.call(onProgress: onProgress) { _ in
                    await gate.pass()
                    return 1
                }
            }
            scenario.executor.drain()
            callers[0].cancel()
            scenario.executor.open(gate)
            expectAll(callers[0].wasCancelled, callers.dropFirst().allSatisfy { $0.value == 1 })
        }
    }

    @Test(arguments: seeds) func `a flight that is over is not joined, also while it is still in the table`(
        seed: UInt64
    ) throws {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh) = (Gate(), Gate())
        let leaving = scenario.callInTurn(operation: scenario.gated(doomed, 1))
        let flight = try required(scenario.flights.state.withLock { $0.flights["key"] })
        // Stands for another thread that has ended the flight, and takes it out of the table next.
        let action = flight.state.withLock { $0.machine.cancelAll() }
        let joining = scenario.callInTurn(operation: scenario.gated(fresh, 2))
        flight.apply { _ in action }
        scenario.executor.drain()
        expectAll(leaving.wasCancelled, joining.isRunning)
        expectEqual(scenario.flights.count, 1)
        doomed.open()
        scenario.executor.open(fresh)
        expectEqual(joining.value, 2)
    }
}
