// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite(.balanced) struct SlotsPriorityTests {
    @Test(arguments: [nil, TaskPriority.background], seeds)
    func `an escalation counts during the wait and from before it`(asked: TaskPriority?, seed: UInt64) {
        // An escalated waiter moves forward in the queue.
        let executor = SeededExecutor(seed: seed)
        let (slots, gate, journal) = (Slots(limit: 1), Gate(), Journal<String>())
        let blocker = hold(slots, gate, on: executor)
        let slow = Probe(on: executor, priority: .low) { try await slots.withSlot { journal.write("slow") } }
        executor.drain()
        let medium = Probe(on: executor, priority: .medium) { try await slots.withSlot { journal.write("medium") } }
        executor.drain()
        slow.escalate(to: .high)
        executor.open(gate)
        expectEqual(journal.entries, ["slow", "medium"])
        expectAll(slow.value != nil, medium.value != nil, blocker.value != nil)

        // An escalation from before the wait counts.
        do {
            let executor = SeededExecutor(seed: seed)
            let (slots, gate, journal) = (Slots(limit: 1), Gate(), Journal<String>())
            let blocker = hold(slots, gate, on: executor)
            let medium = Probe(on: executor, priority: .medium) { try await slots.withSlot { journal.write("medium") } }
            executor.drain()
            let slow = Probe(on: executor, priority: .low) {
                try await slots.withSlot(priority: asked) { journal.write("slow") }
            }
            slow.escalate(to: .high)
            executor.drain()
            executor.open(gate)
            expectEqual(journal.entries, ["slow", "medium"])
            expectAll(slow.value != nil, medium.value != nil, blocker.value != nil)
        }
    }

    @Test(arguments: seeds) func `an explicit priority counts until the task is escalated`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (slots, gate, journal) = (Slots(limit: 1), Gate(), Journal<String>())
        let blocker = hold(slots, gate, on: executor)
        var waiters: [Probe<Void>] = []
        for (name, asked) in [("modest", TaskPriority.background), ("own", nil), ("urgent", .high), ("raised", .low)] {
            waiters.append(
                Probe(on: executor, priority: .medium) {
                    try await slots.withSlot(priority: asked) { journal.write(name) }
                })
            executor.drain()
        }
        waiters[3].escalate(to: .high)
        executor.open(gate)
        expectEqual(journal.entries, ["urgent", "raised", "own", "modest"])
        expect(blocker.value != nil)
    }
}
