// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@Suite(.replayed) struct ManualClockTests {
    @Test(arguments: Seeds.first(50)) func `sleepers wake when their deadline comes and not before`(seed: UInt64) {
        let (executor, clock) = (SeededExecutor(seed: seed), ManualClock())
        let sleepers = [3, 1, 2].map { seconds in
            Probe(on: executor) { try await clock.sleep(for: .seconds(seconds)) }
        }
        executor.drain()
        expectEqual(clock.sleepers, 3)
        for (elapsed, awake) in [(Duration.milliseconds(999), 0), (.milliseconds(1), 1), (.seconds(9), 3)] {
            clock.advance(by: elapsed)
            executor.drain()
            expectEqual(sleepers.count { $0.value != nil }, awake)
            expectEqual(clock.sleepers, 3 - awake)
        }
        expectEqual(clock.now.offset, .seconds(10))
    }

    @Test func `a cancelled sleeper leaves at once, a passed deadline does not suspend, and instants are measured`() {
        // A cancelled sleeper leaves at once.
        let (executor, clock) = (SeededExecutor(seed: 0), ManualClock())
        let sleeper = Probe(on: executor) { try await clock.sleep(for: .seconds(1)) }
        executor.drain()
        sleeper.cancel()
        executor.drain()
        expectAll(sleeper.wasCancelled, clock.sleepers == 0)
        let late = Probe(on: executor) { try await clock.sleep(for: .seconds(1)) }
        late.cancel()
        executor.drain()
        expectAll(late.wasCancelled, clock.sleepers == 0)

        // A deadline that has passed does not suspend.
        do {
            let (executor, clock) = (SeededExecutor(seed: 0), ManualClock())
            clock.advance(by: .seconds(5))
            let sleepers = [ManualClock.Instant.start, clock.now].map { deadline in
                Probe(on: executor) { try await clock.sleep(until: deadline) }
            }
            executor.drain()
            expect(sleepers.allSatisfy { $0.value != nil })
        }

        // Instants are ordered and measured.
        let (start, later) = (ManualClock.Instant.start, ManualClock.Instant.start.advanced(by: .seconds(2)))
        expectAll(start < later, start.duration(to: later) == .seconds(2))
        expectEqual(later.duration(to: start), .seconds(-2))
        expectEqual(ManualClock().minimumResolution, .zero)

        // A task that was cancelled before does not sleep, however late its deadline.
        let gone = Probe(on: executor) { try await clock.sleep(until: .start) }
        gone.cancel()
        executor.drain()
        expect(gone.wasCancelled)
    }

    /// Runs jobs in their order.
    private final class InOrder: TaskExecutor {
        private let jobs = Mutex<[UnownedJob]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }

        func drain() {
            while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    @Test func `sleepers wake in the order of their deadlines, and those with one in that of their arrival`() {
        let (executor, clock, journal) = (InOrder(), ManualClock(), Journal<String>())
        let sleepers = [(2, "c"), (1, "a"), (2, "d"), (1, "b"), (3, "e")].map { seconds, name in
            Probe(on: executor) {
                try await clock.sleep(for: .seconds(seconds))
                journal.write(name)
            }
        }
        executor.drain()
        clock.advance(by: .seconds(3))
        executor.drain()
        expect(sleepers.allSatisfy { $0.value != nil })
        expectEqual(journal.entries, ["a", "b", "c", "d", "e"])
    }
}
