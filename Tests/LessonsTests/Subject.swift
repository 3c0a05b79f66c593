// SPDX-License-Identifier: MIT
import TaskCoordination
import Testing
import WebImageTesting

@testable import lessons

/// What the behavioural suites run over: the last step of the course, and the table that it leads to.
enum Subject: CaseIterable {
    case lastStep, inFlight
}

/// A table of either kind on a stage, with its slots, its end, and an origin that answers at gates.
struct Scenario {
    let stage: Stage
    let slots: Slots
    /// Refuses later callers.
    let close: @Sendable () -> Void
    /// Waits until no operation runs.
    let drain: @Sendable () async -> Void

    init(_ subject: Subject, seed: UInt64, slotLimit: Int = 100) {
        let slots = Slots(limit: slotLimit)
        let executor = SeededExecutor(seed: seed)
        self.slots = slots
        switch subject {
        case .lastStep:
            stage = Stage(executor) { Step.all[6].makeTable($0, slots) }
            // The slots are the table's door: to begin, each operation needs one.
            close = { slots.close() }
            drain = { await slots.drain() }
        case .inFlight:
            let flights = InFlight<String, Int, Int>(name: "test", executor: executor, slots: slots)
            stage = Stage(executor) { _ in flights }
            close = { flights.close() }
            drain = { await flights.drain() }
        }
    }

    func run() { stage.run() }

    /// Starts a caller whose operation waits at the gate, however long that takes, and then heeds its cancellation.
    func call(_ name: String = "caller", for key: String = "key", at gate: Gate, gets value: Int = 1) -> Stage.Caller {
        let operation = stage.flight { _, _ in
            await gate.pass()
            return value
        }
        return stage.call(name, for: key, operation: operation)
    }

    /// How many flights have begun, and how many have been cancelled.
    var begun: Int { stage.timeline.flights(that: "begins").count }
    var cancelled: Int { stage.timeline.flights(that: "is cancelled").count }
}

struct Broken: Error {}
