// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@TaskLocal private var tenant = "none"

/// The pool's logic, on an executor that the test drives: a second one, so that its work can be held back.
@Suite(.replayed) struct WorkerPoolTests {
    private let callers: SeededExecutor
    private let workers: SeededExecutor
    private let journal = Journal<String>()

    init() {
        callers = SeededExecutor(seed: 0)
        workers = SeededExecutor(seed: 1)
    }

    private func pool(width: Int = 1, maximumQueueLength: Int = 8) -> WorkerPool {
        WorkerPool(name: "test", width: width, maximumQueueLength: maximumQueueLength, executor: workers)
    }

    /// Runs every task to its end.
    private func finish() {
        while callers.drain() + workers.drain() > 0 {}
    }

    private func ask(_ pool: WorkerPool, _ name: String, _ priority: TaskPriority? = nil) -> Probe<Void> {
        let caller = Probe(on: callers, priority: priority) { [journal] in
            try await pool.run { journal.write(name) }
        }
        callers.drain()
        return caller
    }

    @Test func `no more than the width is handed to the threads, so the order stays ours`() {
        expectEqual(WorkerPool(name: "idle", width: 3, maximumQueueLength: 1).width, 3)
        let pool = pool(width: 2)
        let asked = (0..<6).map { ask(pool, "\($0)", .low) }
        expectEqual([pool.running, pool.queued, workers.pending], [2, 4, 2])
        asked[5].escalate(to: .high)
        asked[4].escalate(to: .medium)
        workers.drain()
        expectEqual(pool.running, 2, "the next ones have their slots as soon as the bodies end")
        expectEqual(journal.count, 2, "the next ones have their slots as soon as the bodies end")
        finish()
        let order = journal.entries
        expectEqual(Set(order.prefix(2)), ["0", "1"])
        expectEqual(Set(order.dropFirst(2).prefix(2)), ["4", "5"])
        expectEqual(Set(order.dropFirst(4)), ["2", "3"])
        expect(asked.allSatisfy { $0.value != nil })
        expectEqual([pool.running, pool.queued], [0, 0])
    }

    @Test func `a full queue refuses at once`() {
        let pool = pool(maximumQueueLength: 1)
        let (running, queued, refused) = (ask(pool, "running"), ask(pool, "queued"), ask(pool, "refused"))
        expectEqual((refused.error as? CoordinationError)?.code, .overloaded)
        finish()
        expectAll(running.value != nil, queued.value != nil)
        expectEqual(journal.entries, ["running", "queued"])
    }

    @Test func `a queued caller leaves at once on cancellation, while the threads are busy`() {
        let pool = pool()
        let (running, queued) = (ask(pool, "running"), ask(pool, "queued"))
        queued.cancel()
        expectEqual(pool.queued, 0)
        callers.drain()
        expectAll(queued.wasCancelled, running.isRunning)
        finish()
        expectEqual(journal.entries, ["running"])
    }

    @Test func `a caller cancelled after its grant does not start its body and loses no slot`() {
        let pool = pool()
        let granted = ask(pool, "granted")
        expectEqual(pool.running, 1)
        granted.cancel()
        finish()
        expect(granted.wasCancelled)
        expectEqual([journal.count, pool.running], [0, 0])
        let next = ask(pool, "next")
        finish()
        expect(next.value != nil)
    }

    @Test
    func `the body runs inside the calling task, and what it throws reaches the caller and gives the slot back`() {
        let pool = pool()
        let caller = $tenant.withValue("caller") {
            Probe(on: callers) {
                try await pool.run {
                    let before = Task.isCancelled
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return "\(tenant) \(before) \(Task.isCancelled)"
                }
            }
        }
        finish()
        expectEqual(caller.value, "caller false true")

        // What the body throws reaches the caller and gives the slot back.
        do {
            let pool = self.pool()
            let failing = Probe(on: callers) { try await pool.run { throw Broken() } }
            finish()
            expect(failing.error is Broken)
            expectEqual(pool.running, 0)
        }
    }

    @Test func `shutdown waits for the work that runs and refuses every other caller`() {
        let pool = pool()
        let (running, queued) = (ask(pool, "running"), ask(pool, "queued"))
        let ends = (0..<2).map { _ in Probe(on: callers) { await pool.shutdown() } }
        callers.drain()
        let late = ask(pool, "late")
        expectEqual((queued.error as? CoordinationError)?.code, .shutDown)
        expectEqual((late.error as? CoordinationError)?.code, .shutDown)
        expect(ends.allSatisfy { $0.isRunning })
        ends[0].cancel()
        callers.drain()
        expect(ends[0].isRunning, "not cut short by cancellation")
        finish()
        expectAll(running.value != nil, ends.allSatisfy { $0.value != nil })
        expectEqual(journal.entries, ["running"])
    }

    @Test(arguments: seeds) func `in every order each caller ends once and no slot is lost`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (executor, running) = (SeededExecutor(seed: seed), Journal<Int>())
        let pool = WorkerPool(name: "test", width: 2, maximumQueueLength: 6, executor: executor)
        let asked = (0..<12).map { _ in Probe(on: executor) { try await pool.run { running.write(pool.running) } } }
        for caller in asked.shuffled(using: &random).prefix(4) {
            executor.run(steps: Int.random(in: 0..<8, using: &random))
            caller.cancel()
        }
        executor.drain()
        expect(asked.allSatisfy { !$0.isRunning })
        expectEqual([pool.running, pool.queued], [0, 0])
        expect(running.entries.allSatisfy { $0 <= 2 })
        expectEqual(running.count, asked.count { $0.value != nil })
        let ends = asked.filter { $0.wasCancelled || ($0.error as? CoordinationError)?.code == .overloaded }
        expectEqual(ends.count + running.count, 12)
    }
}
