// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Tasks that are no children of their callers: work that may be left behind, and paced tasks.
struct WorkTests {
    @Test(arguments: seeds, [false, true])
    func `work is cancelled or goes on when its caller leaves, and leaves no deadline`(seed: UInt64, goesOn: Bool) {
        // Work that is left behind is cancelled, or goes on.
        let executor = SeededExecutor(seed: seed)
        let (clock, gate, journal) = (ManualClock(), Gate(), Journal<Bool>())
        let place = OneShot<Int>()
        let caller = Probe(on: executor) {
            await place.wait(for: "work", on: executor, leavingRunning: goesOn) {
                async let _ = place.resolve(1, after: .seconds(1), on: clock)
                await gate.pass()
                journal.write(Task.isCancelled)
                place.resolve(2)
            }
        }
        executor.drain()
        caller.cancel()
        executor.drain()
        expect(caller.isRunning && clock.sleepers == 1, "its deadline counts all the same")
        clock.advance(by: .seconds(1))
        executor.drain()
        expectAll(caller.value == 1, journal.entries.isEmpty)
        executor.open(gate)
        expectEqual(journal.entries, [!goesOn])

        // Work that ends in time leaves no deadline.
        do {
            let executor = SeededExecutor(seed: seed)
            let clock = ManualClock()
            let place = OneShot<Int>()
            let caller = Probe(on: executor) {
                await place.wait(for: "work", on: executor, leavingRunning: true) {
                    async let _ = place.resolve(1, after: .seconds(1), on: clock)
                    await Task.yield()
                    place.resolve(2)
                }
            }
            executor.drain()
            expectEqual([caller.value, clock.sleepers], [2, 0])
        }

        // A deadline that is cancelled says nothing, and one that no clock can count is far away.
        do {
            let (executor, clock, place) = (SeededExecutor(seed: seed), ManualClock(), OneShot<Int>())
            let deadline = Probe(on: executor) { await place.resolve(1, after: .seconds(1), on: clock) }
            executor.drain()
            deadline.cancel()
            executor.drain()
            expect(!deadline.isRunning && place.resolve(2))
            let longest = Duration.seconds(1_000_000_000)
            expectEqual([.seconds(Int64.max), .seconds(-1), longest].map(\.countable), [longest, .zero, longest])
        }

        // A cancelled caller leaves its work at once, and the work is cancelled.
        do {
            let executor = SeededExecutor(seed: seed)
            let (gate, journal) = (Gate(), Journal<Bool>())
            let place = OneShot<Int>()
            let caller = Probe(on: executor) {
                await place.wait(for: "work", on: executor, onCancel: 0) {
                    await gate.pass()
                    journal.write(Task.isCancelled)
                }
            }
            executor.drain()
            caller.cancel()
            executor.drain()
            expectAll(caller.value == 0, journal.entries.isEmpty)
            executor.open(gate)
            expectEqual(journal.entries, [true])
        }
    }

    @Test(arguments: seeds) func `work rises with its caller`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (gate, journal) = (Gate(), Journal<TaskPriority>())
        let place = OneShot<Void>()
        let caller = Probe(on: executor, priority: .utility) {
            await place.wait(for: "work", on: executor) {
                await gate.pass()
                journal.write(Task.currentPriority)
                place.resolve(())
            }
        }
        if seed.isMultiple(of: 2) { executor.drain() }
        caller.escalate(to: .high)
        executor.drain()
        executor.open(gate)
        expectAll(!caller.isRunning, journal.entries == [.high])
    }

    @Test(arguments: seeds)
    func `a paced task takes steps at their pauses, until none is named or its owner goes`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let (clock, steps) = (ManualClock(), Journal<Int>())
        var task: PacedTask? = PacedTask("test", on: executor, clock: clock, after: .seconds(2)) {
            steps.write(steps.count)
            return steps.count < 3 ? .seconds(steps.count) : nil
        }
        for expected in [0, 0, 1, 2, 2, 3, 3] {
            executor.drain()
            expectEqual(steps.count, expected)
            clock.advance(by: .seconds(1))
        }
        executor.drain()
        expectEqual([steps.count, clock.sleepers], [3, 0])
        task = PacedTask("test", on: executor, clock: clock) {
            steps.write(0)
            return .seconds(Int64.max)
        }
        executor.drain()
        expect(task != nil && steps.count == 4 && clock.sleepers == 1, "the first step needs no pause")
        task = nil
        executor.drain()
        expectEqual([steps.count, clock.sleepers], [4, 0])
        // Cancelled, it ends with the step under way, also when the next one needs no pause.
        let gate = Gate()
        let last = PacedTask("test", on: executor, clock: clock) {
            steps.write(0)
            await gate.pass()
            return steps.count < 9 ? .zero : nil
        }
        executor.drain()
        last.cancel()
        executor.open(gate)
        expectEqual(steps.count, 5)
    }
}
