// SPDX-License-Identifier: MIT
import TaskCoordination
import WebImageTesting

typealias Flights = InFlight<String, Int, Int>

/// Flights on a seeded executor, and what happens in them.
struct FlightScenario: Sendable {
    let executor: SeededExecutor
    let flights: Flights
    let journal = Journal<String>()

    init(seed: UInt64, slots: Slots? = nil) {
        executor = SeededExecutor(seed: seed)
        flights = Flights(name: "test", executor: executor, slots: slots)
        enter(executor, tables: [flights], slots: slots)
    }

    /// Starts a caller and does not run it yet.
    func call(
        _ key: String = "key", priority: TaskPriority? = nil, asking asked: TaskPriority? = nil,
        onProgress: (@Sendable (Int) -> Void)? = nil, onStart: (@Sendable () -> Void)? = nil,
        operation: @escaping Flights.Operation
    ) -> Probe<Int> {
        Probe(on: executor, priority: priority) { [flights] in
            try await flights.value(
                for: key, priority: asked, onProgress: onProgress,
                starting: { _ in
                    onStart?()
                    return operation
                })
        }
    }

    /// Starts a caller and runs it until it waits.
    func callInTurn(
        _ key: String = "key", onProgress: (@Sendable (Int) -> Void)? = nil, operation: @escaping Flights.Operation
    ) -> Probe<Int> {
        let caller = call(key, onProgress: onProgress, operation: operation)
        executor.drain()
        return caller
    }

    /// An operation that waits at a gate whatever happens, and notes its start and its cancellation.
    func gated(_ gate: Gate, _ value: Int = 1) -> Flights.Operation {
        { [journal] _ in
            journal.write("start")
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                journal.write("cancel")
            }
            try Task.checkCancellation()
            return value
        }
    }

    func drain() -> Probe<Void> { Probe(on: executor) { [flights] in await flights.drain() } }
}

/// How many ran at once, at most, when each has written 1 at its start and -1 at its end.
func mostAtOnce(_ steps: [Int]) -> Int {
    var (running, most) = (0, 0)
    for step in steps {
        running += step
        most = max(most, running)
    }
    return most
}
