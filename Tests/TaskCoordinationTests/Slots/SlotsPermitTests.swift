// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// What lets waiters go on, apart from a slot that is given back.
@Suite(.balanced) struct SlotsPermitTests {
    private let executor = SeededExecutor(seed: 0)

    private func permit(of slots: Slots) throws -> Slots.Permit {
        guard case .permit(let permit) = try slots.enter(21, { _ in }) else { throw CancellationError() }
        return permit
    }

    @Test func `waiters go on when the limit rises, when slots are no longer suspended, and when they are urgent`()
        throws
    {
        // Every waiter that there is a slot for, and each is a body that runs.
        let slots = Slots(limit: 1)
        enter(executor, slots: slots)
        let (permit, first, gate) = (try permit(of: slots), Gate(), Gate())
        let waiters = (0..<3).map { number in
            defer { executor.drain() }
            return Probe(on: executor) {
                let permit = try await slots.acquire(priority: nil)
                defer { slots.release(permit) }
                await (number < 2 ? first : gate).pass()
            }
        }
        let drained = Probe(on: executor) { await slots.drain() }
        slots.change(SlotSettings(limit: 3))
        executor.drain()
        expectEqual([first.arrivals, slots.running, slots.queued], [2, 3, 1])
        slots.release(permit)
        executor.drain()
        expectEqual(gate.arrivals, 1)
        executor.open(first)
        expect(drained.isRunning, "each of those that were served is a body that runs")
        executor.open(gate)
        expectAll(waiters.allSatisfy { $0.value != nil }, drained.value != nil)

        // None while they are suspended.
        slots.change(SlotSettings(limit: 2, isSuspended: true))
        let next = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil)) }
        executor.drain()
        expectEqual(slots.queued, 1)
        slots.change(SlotSettings(limit: 2))
        executor.drain()
        expect(next.value != nil)

        // The body of the last waiter follows that before it without a pause.
        do {
            let slots = Slots(limit: 1)
            enter(executor, slots: slots)
            let (permit, gate) = (try self.permit(of: slots), Gate())
            let last = Probe(on: executor) { try await slots.withSlot { await gate.pass() } }
            executor.drain()
            let drained = Probe(on: executor) { await slots.drain() }
            executor.drain()
            slots.release(permit)
            executor.drain()
            expectAll(drained.isRunning, gate.arrivals == 1)
            executor.open(gate)
            expectAll(last.value != nil, drained.value != nil)
        }

        // One that is held back, once it is urgent enough, or once nothing is held back.
        let isOver = Atomic(false)
        let held = Slots(
            SlotSettings(limit: 2), maximumQueueLength: .max, name: "slots",
            holdsBack: { priority, _ in priority < 21 && !isOver.load(ordering: .relaxed) }, onQueue: {})
        let answers = Journal<Result<Slots.Permit, CoordinationError>>()
        guard case .place(let first) = try held.enter(9, { answers.write($0) }),
            case .place = try held.enter(9, { answers.write($0) })
        else {
            Issue.record("they are held back")
            return
        }
        expectEqual(answers.count, 0)
        first.raise(to: 21)
        expectEqual(answers.count, 1)
        isOver.store(true, ordering: .relaxed)
        held.reconsider()
        expectEqual(answers.count, 2)
        for answer in answers.entries { held.release(try answer.get()) }
        expectEqual([slots.entryCount, held.entryCount], [0, 0])
    }

    @Test(arguments: [["a", "a"], ["b", "c"]])
    func `what comes when nothing is held back any more does not overtake`(lanes: [String]) throws {
        let isOver = Atomic(false)
        let slots = Slots(
            SlotSettings(limit: 2, share: 1), maximumQueueLength: .max, name: "slots",
            holdsBack: { priority, _ in priority < 21 && !isOver.load(ordering: .relaxed) }, onQueue: {})
        let (permits, order) = (Journal<Result<Slots.Permit, CoordinationError>>(), Journal<Int>())
        guard case .permit(let urgent) = try slots.enter(21, lane: "a", { _ in }) else {
            Issue.record("the slot is free")
            return
        }
        for (number, lane) in lanes.enumerated() {
            let admission = try slots.enter(9, lane: lane) {
                order.write(number)
                permits.write($0)
            }
            guard case .place = admission else {
                Issue.record("\(number) overtakes, or is not held back")
                return
            }
            isOver.store(true, ordering: .relaxed)
        }
        expectEqual(order.entries, [0])
        slots.release(urgent)
        expectEqual(order.entries, [0, 1])
        for permit in permits.entries { slots.release(try permit.get()) }
        expectEqual(slots.entryCount, 0)
    }

    @Test func `a round gives a waiter the slot of a stalled lane, and turns away the one that has waited too long`()
        throws
    {
        let slots = Slots(limit: 1)
        enter(executor, slots: slots)
        guard case .permit(let stalled) = try slots.enter(21, lane: "slow", { _ in }) else {
            Issue.record("the slot is free")
            return
        }
        let answers = Journal<Result<Slots.Permit, CoordinationError>>()
        _ = try slots.enter(21, lane: "quick") { answers.write($0) }
        _ = try slots.enter(21, lane: "late") { answers.write($0) }
        slots.nextRound(stalled: [:], patience: 4)
        slots.nextRound(stalled: ["slow": 1], patience: 4)
        expectEqual(answers.count, 1)
        let permit = try required(answers.entries.first).get()
        expectEqual(slots.lent, 1)
        slots.nextRound(stalled: [:], patience: 4)
        expectEqual(answers.count, 1)
        slots.nextRound(stalled: [:], patience: 4)
        expectEqual(answers.count, 2)
        guard case .failure(let refusal)? = answers.entries.last else {
            Issue.record("it is turned away")
            return
        }
        expectEqual(refusal.code, .queueTimedOut)
        let drained = Probe(on: executor) { await slots.drain() }
        slots.release(permit)
        executor.drain()
        expect(drained.isRunning, "the body that gave its slot away goes on")
        slots.release(stalled)
        executor.drain()
        expect(drained.value != nil)
        expectEqual(slots.entryCount, 0)
    }
}
