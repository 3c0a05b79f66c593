// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

/// Takes a slot and keeps it until the gate opens.
func hold(_ slots: Slots, _ gate: Gate, on executor: SeededExecutor) -> Probe<Void> {
    enter(executor, slots: slots)
    let holder = Probe(on: executor, priority: .high) { try await slots.withSlot { await gate.pass() } }
    executor.drain()
    return holder
}

/// All slots can be held at once, so none is lost; and no waiter is left in the queue.
func expectAllFree(
    _ slots: Slots, on executor: SeededExecutor, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(slots.running == 0, sourceLocation: sourceLocation)
    #expect(slots.queued == 0, sourceLocation: sourceLocation)
    let gate = Gate()
    let holders = (0..<slots.limit).map { _ in
        Probe(on: executor) { try await slots.withSlot { await gate.pass() } }
    }
    executor.drain()
    #expect(gate.arrivals == slots.limit, sourceLocation: sourceLocation)
    executor.open(gate)
    #expect(holders.allSatisfy { $0.value != nil }, sourceLocation: sourceLocation)
    #expect(slots.running == 0, sourceLocation: sourceLocation)
}
