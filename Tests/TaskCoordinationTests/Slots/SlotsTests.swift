// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite(.balanced) struct SlotsTests {
    @Test(arguments: seeds) func `no more than the limit run, and every body runs`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let slots = Slots(limit: 3)
        let running = Journal<Int>()
        let bodies = (0..<12).map { _ in
            Probe(on: executor) {
                try await slots.withSlot {
                    running.write(slots.running)
                    await Task.yield()
                    await Task.yield()
                }
            }
        }
        executor.drain()
        expect(bodies.allSatisfy { $0.value != nil })
        expectEqual([running.count, running.entries.max()], [12, 3])
        expectAllFree(slots, on: executor)
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], seeds)
    func `the queue goes by priority and then by arrival`(order: SlotOrder, seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (slots, gate, journal) = (Slots(limit: 1, order: order), Gate(), Journal<String>())
        let blocker = hold(slots, gate, on: executor)
        var waiters: [Probe<Void>] = []
        for (name, priority) in [("a", TaskPriority.low), ("b", .low), ("c", .high), ("d", .high), ("e", .medium)] {
            waiters.append(
                Probe(on: executor, priority: priority) { try await slots.withSlot { journal.write(name) } })
            executor.drain()
        }
        expectEqual([slots.queued, slots.running], [5, 1])
        executor.open(gate)
        expectEqual(journal.entries, (order == .fifo ? ["c", "d", "e", "a", "b"] : ["d", "c", "e", "b", "a"]))
        expectAll(blocker.value != nil, waiters.allSatisfy { $0.value != nil })
    }

    @Test(arguments: seeds) func `a cancelled waiter leaves the queue in the cancellation itself`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (slots, gate, journal) = (Slots(limit: 1, maximumQueueLength: 1), Gate(), Journal<String>())
        let blocker = hold(slots, gate, on: executor)
        let queued = Probe(on: executor) { try await slots.withSlot { journal.write("cancelled") } }
        executor.drain()
        queued.cancel()
        expectEqual(slots.queued, 0, "there is room before the waiter has resumed")
        let next = Probe(on: executor) { try await slots.withSlot { journal.write("next") } }
        executor.drain()
        expectAll(queued.wasCancelled, next.isRunning)
        executor.open(gate)
        expectEqual(journal.entries, ["next"])
        expectAll(next.value != nil, blocker.value != nil)
        expectAllFree(slots, on: executor)
    }

    @Test(arguments: seeds) func `a waiter cancelled with its grant never enters and loses no slot`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (slots, gate, journal) = (Slots(limit: 1), Gate(), Journal<String>())
        let blocker = hold(slots, gate, on: executor)
        let waiter = Probe(on: executor) {
            try await slots.withSlot { journal.write(Task.isCancelled ? "entered cancelled" : "entered") }
        }
        executor.drain()
        let canceller = Probe(on: executor) { waiter.cancel() }
        let opener = Probe(on: executor) { gate.open() }
        executor.drain()
        expect(waiter.wasCancelled != (journal.entries == ["entered"]))
        expectEqual(journal.count(of: "entered cancelled"), 0)
        expectAll(!blocker.isRunning, !canceller.isRunning, !opener.isRunning)
        expectAllFree(slots, on: executor)
    }

    @Test
    func `a cancelled caller does not start, a body that throws gives its slot back, and a full queue refuses`() async {
        // A cancelled caller does not start, even with a free slot.
        let executor = SeededExecutor(seed: 0)
        let (slots, journal) = (Slots(limit: 1), Journal<String>())
        let caller = Probe(on: executor) { try await slots.withSlot { journal.write("ran") } }
        caller.cancel()
        executor.drain()
        expect(caller.wasCancelled)
        expectEqual(journal.count, 0)
        expectAllFree(slots, on: executor)

        // A body that throws gives its slot back.
        do {
            let slots = Slots(limit: 1)
            for _ in 0..<3 {
                await expectError(Broken.self) { try await slots.withSlot { throw Broken() } }
            }
            expectEqual(slots.running, 0)
        }

        // A full queue refuses and says so.
        do {
            let executor = SeededExecutor(seed: 0)
            let (slots, gate) = (Slots(limit: 1, maximumQueueLength: 2, name: "decodes"), Gate())
            let blocker = hold(slots, gate, on: executor)
            let queued = (0..<2).map { _ in Probe(on: executor) { try await slots.withSlot {} } }
            executor.drain()
            let refused = Probe(on: executor) { try await slots.withSlot {} }
            executor.drain()
            let error = refused.error as? CoordinationError
            expectEqual(error?.code, .overloaded)
            expectEqual(error?.message.contains("decodes"), true)
            expectEqual(error?.description, error?.message)
            executor.open(gate)
            expectAll(queued.allSatisfy { $0.value != nil }, blocker.value != nil)
            expectAllFree(slots, on: executor)
        }
    }

    @Test(arguments: seeds) func `closing refuses the waiters, and draining waits for the bodies that run`(seed: UInt64)
    {
        let executor = SeededExecutor(seed: seed)
        let (slots, gate) = (Slots(limit: 1), Gate())
        let blocker = hold(slots, gate, on: executor)
        let queued = Probe(on: executor) { try await slots.withSlot {} }
        executor.drain()
        slots.close()
        let drains = (0..<2).map { _ in Probe(on: executor) { await slots.drain() } }
        let late = Probe(on: executor) { try await slots.withSlot {} }
        executor.drain()
        expectEqual((queued.error as? CoordinationError)?.code, .shutDown)
        expectEqual((late.error as? CoordinationError)?.code, .shutDown)
        expectAll(drains.allSatisfy { $0.isRunning }, blocker.isRunning)
        executor.open(gate)
        expectAll(drains.allSatisfy { $0.value != nil }, blocker.value != nil)
        expectEqual(slots.running, 0)
        let again = Probe(on: executor) { await slots.drain() }
        executor.drain()
        expect(again.value != nil)
    }

    @Test(arguments: [0, -1, .min]) func `limits below the least count as the least`(limit: Int) throws {
        let slots = Slots(limit: limit, maximumQueueLength: limit, share: limit, laneLimit: limit)
        expectEqual([slots.limit, slots.maximumQueueLength], [1, 0])
        guard case .permit(let permit) = try slots.enter(21, { _ in }) else {
            Issue.record("the slot is free")
            return
        }
        expect((try? slots.enter(21) { _ in }) == nil, "nothing may wait")
        slots.release(permit)
        expectEqual(slots.entryCount, 0)
    }
}
