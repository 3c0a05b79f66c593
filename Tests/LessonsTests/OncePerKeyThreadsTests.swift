// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

/// What a seeded executor cannot draw: steps of two threads at once, and a caller in the middle of another one's step.
@Suite(.timeLimit(.minutes(1))) struct OncePerKeyThreadsTests {
    private static let steps = [Step.all[6], Step.inFlight]

    @Test(arguments: steps) func `on threads every caller ends once, with its value or its cancellation`(
        step: Step
    ) async throws {
        let (slots, journal) = (Slots(limit: 3), Journal<Int>())
        let table = step.makeTable(globalConcurrentExecutor, slots)
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<2_000 {
                let (key, expected) = ("key \(number % 7)", number % 7)
                let caller = Probe {
                    try await table.value(for: key, hearing: { _ in }) { report in
                        journal.write(1)
                        defer { journal.write(-1) }
                        report(1)
                        await Task.yield()
                        return expected
                    }
                }
                if number % 3 == 0 { caller.cancel() }
                group.addTask {
                    do {
                        try await expectEqual(caller.finish(), expected)
                        return true
                    } catch {
                        expectAll(error is CancellationError, number % 3 == 0)
                        return false
                    }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        await slots.drain()
        expectEqual(ends.count, 2_000)
        expect(ends.count { $0 }, >=, 1_333)
        expect(mostAtOnce(journal.entries), <=, 3)
        expectEqual(slots.running, 0)
        expectEqual(slots.queued, 0)
    }

    @Test(arguments: steps) func `an urgent caller that joins before the flight's task exists is heard`(step: Step) {
        let executor = InterruptedExecutor()
        let (gate, seen) = (Gate(), Journal<TaskPriority>())
        let table = step.makeTable(executor, Slots(limit: 1))
        let load: @Sendable () async throws -> Int = {
            try await table.value(for: "key", hearing: { _ in }) { _ in
                await gate.pass()
                seen.write(Task.currentPriority)
                return 1
            }
        }
        let slow = Probe(on: executor.seeded, priority: .low) {
            // The next job that the table enqueues is the flight's first one.
            executor.interrupt {
                Task.immediate(priority: .high, executorPreference: executor) { try await load() }
            }
            return try await load()
        }
        executor.seeded.drain()
        gate.open()
        executor.seeded.drain()
        expectEqual(slow.value, 1)
        expectEqual(seen.entries, [.high])
    }
}

/// How many ran at once, at most, when each has written 1 at its start and -1 at its end.
private func mostAtOnce(_ steps: [Int]) -> Int {
    var (running, most) = (0, 0)
    for step in steps {
        running += step
        most = max(most, running)
    }
    return most
}

/// A seeded executor that runs a closure once, within the next call that enqueues a job.
private final class InterruptedExecutor: TaskExecutor {
    let seeded = SeededExecutor(seed: 0)
    private let interruptions = Journal<@Sendable () -> Void>()
    private let isOver = OneShot<Void>()

    func interrupt(_ interruption: @escaping @Sendable () -> Void) { interruptions.write(interruption) }

    func enqueue(_ job: consuming ExecutorJob) {
        if let interruption = interruptions.entries.first, isOver.resolve(()) { interruption() }
        seeded.enqueue(job)
    }
}
