// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Permits of many units, and those that a round gives or refuses.
@Suite(.balanced) struct SlotsPermitTests {
    private let executor = SeededExecutor(seed: 0)

    @Test func `what is split off a permit goes back to its lane while the body goes on`() throws {
        // What is split off a permit is given back while the body goes on.
        let slots = Slots(limit: 10)
        enter(executor, slots: slots)
        var permit = try required(slots.take(10))
        let nothing = permit.split(keeping: 10)
        expectNil(nothing)
        let split = permit.split(keeping: 4)
        let part = try required(split)
        let again = permit.split(keeping: 4)
        expectNil(again, "the body has no more than it keeps")
        let waiter = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil, units: 6)) }
        let drained = Probe(on: executor) { await slots.drain() }
        executor.drain()
        expect(waiter.isRunning)
        slots.release(part)
        executor.drain()
        expect(waiter.value != nil)
        expectEqual(slots.running, 4)
        expect(drained.isRunning, "the body goes on")
        slots.release(permit)
        executor.drain()
        expect(drained.value != nil)

        // A part goes back to the lane that it came from.
        do {
            let slots = Slots(limit: 10)
            enter(executor, slots: slots)
            guard case .permit(var permit) = try slots.enter(21, units: 3, lane: "a", { _ in }) else {
                Issue.record("the units are free")
                return
            }
            let part = permit.split(keeping: 0)
            slots.release(try required(part))
            expectEqual(slots.running, 0)
            slots.release(permit)
            expectEqual(slots.entryCount, 0)
        }
    }

    @Test func `waiters of many units go on when a body, another waiter, or a limit lets them`() throws {
        // More units than there are count as all of them.
        let slots = Slots(limit: 10, maximumQueueLength: 1)
        enter(executor, slots: slots)
        let permit = try required(slots.take(.max))
        expectEqual(slots.running, 10)
        let waiter = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil, units: .max)) }
        executor.drain()
        expectEqual(slots.queued, 1)
        slots.release(permit)
        executor.drain()
        expect(waiter.value != nil)
        let next = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil, units: 11)) }
        executor.drain()
        expect(next.value != nil)

        // Units that are given back at once serve every waiter that they are enough for.
        do {
            let slots = Slots(limit: 10)
            enter(executor, slots: slots)
            let (permit, first, gate) = (try required(slots.take(10)), Gate(), Gate())
            let waiters = (0..<6).map { number in
                Probe(on: executor) {
                    let permit = try await slots.acquire(priority: nil, units: 2)
                    defer { slots.release(permit) }
                    await (number < 3 ? first : gate).pass()
                }
            }
            executor.drain()
            let drained = Probe(on: executor) { await slots.drain() }
            executor.drain()
            slots.release(permit)
            executor.drain()
            expectEqual([first.arrivals + gate.arrivals, slots.running], [5, 10])
            executor.open(first)
            expect(drained.isRunning, "each of those that were served is a body that runs")
            executor.open(gate)
            expectAll(waiters.allSatisfy { $0.value != nil }, drained.value != nil)
        }

        // A waiter that leaves lets those behind it go on.
        do {
            let slots = Slots(limit: 10)
            enter(executor, slots: slots)
            let permit = try required(slots.take(6))
            let large = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil, units: 8)) }
            executor.drain()
            let small = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil, units: 2)) }
            executor.drain()
            expectEqual(slots.queued, 2)
            large.cancel()
            executor.drain()
            expectAll(large.wasCancelled, small.value != nil)
            slots.release(permit)
        }

        // Waiters go on when the limit rises, and when the slots are no longer suspended.
        do {
            let slots = Slots(limit: 1)
            enter(executor, slots: slots)
            let permit = try required(slots.take(1))
            let waiter = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil)) }
            executor.drain()
            expectEqual(slots.queued, 1)
            slots.change(SlotSettings(units: 2))
            executor.drain()
            expect(waiter.value != nil)
            slots.change(SlotSettings(units: 2, isSuspended: true))
            let next = Probe(on: executor) { slots.release(try await slots.acquire(priority: nil)) }
            executor.drain()
            expectEqual(slots.queued, 1)
            slots.change(SlotSettings(units: 2))
            executor.drain()
            expect(next.value != nil)
            slots.release(permit)
        }
    }

    @Test func `a large waiter that sinks lets those behind it go on`() throws {
        let slots = Slots(limit: 10)
        enter(executor, slots: slots)
        let permit = try required(slots.take(6))
        let answers = Journal<Result<Slots.Permit, CoordinationError>>()
        guard case .place(let large) = try slots.enter(25, units: 8, { answers.write($0) }),
            case .place = try slots.enter(21, units: 2, { answers.write($0) })
        else {
            Issue.record("the units are held, or waited for")
            return
        }
        large.move(to: 9)
        expectEqual(answers.count, 1)
        slots.release(try required(answers.entries.first).get())
        slots.release(permit)
        expectEqual(answers.count, 2)
        slots.release(try required(answers.entries.last).get())
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
    }
}
