// SPDX-License-Identifier: MIT
import TaskCoordination
import WebImageTesting

/// A flight of one table whose operation awaits a flight of another, which waits for a slot.
struct NestedScenario: Sendable {
    let executor: SeededExecutor
    let slots: Slots
    let feeders: Flights
    let flights: Flights
    let journal = Journal<String>()

    init(seed: UInt64, slots limit: Int = 1) {
        executor = SeededExecutor(seed: seed)
        slots = Slots(limit: limit)
        feeders = Flights(name: "feeder", executor: executor, slots: slots)
        flights = Flights(name: "test", executor: executor)
        enter(executor, tables: [feeders, flights], slots: slots)
    }

    /// A caller of the flight that awaits the feeder of the same key, or of `feeder`.
    func call(
        _ key: String = "key", feeder: String? = nil, priority: TaskPriority? = nil,
        onProgress: (@Sendable (Int) -> Void)? = nil, operation: @escaping Flights.Operation
    ) -> Probe<Int> {
        Probe(on: executor, priority: priority) {
            try await flights.value(
                for: key, onProgress: onProgress,
                starting: { work in
                    { report in
                        let value = try await feeders.value(
                            for: feeder ?? key, onProgress: report, within: work, starting: { _ in operation })
                        journal.write("begin at \(Task.currentPriority.rawValue)")
                        return value + 100
                    }
                })
        }
    }

    /// A caller of a feeder alone.
    func callFeeder(_ key: String = "key", operation: @escaping Flights.Operation) -> Probe<Int> {
        Probe(on: executor) { try await feeders.value(for: key, operation: operation) }
    }

    /// An operation that waits at a gate, also when it is cancelled, and notes its start.
    func gated(_ gate: Gate, _ name: String = "feeder") -> Flights.Operation {
        { [journal] _ in
            journal.write(name)
            await gate.pass()
            try Task.checkCancellation()
            return 1
        }
    }

    /// Nothing flies, no caller waits, and no slot is taken.
    var isIdle: Bool {
        let draining = [flights, feeders].map { table in Probe(on: executor) { await table.drain() } }
        executor.drain()
        return draining.allSatisfy { !$0.isRunning } && flights.count + feeders.count == 0
            && flights.callerCount + feeders.callerCount == 0 && slots.running + slots.queued == 0
    }
}
