// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@Suite struct ProbeTests {
    private struct Broken: Error {}

    @Test
    func `a probe has the outcome of its task, rises and is awaited, and a journal keeps the order`() async throws {
        let executor = SeededExecutor(seed: 0)
        let value = Probe(on: executor) { 1 }
        let error = Probe<Int>(on: executor) { throw Broken() }
        let cancelled = Probe(on: executor) {
            try Task.checkCancellation()
            return 2
        }
        cancelled.cancel()
        expectAll(value.isRunning, value.result == nil, value.error == nil)
        executor.drain()
        expect(!value.isRunning && value.value == 1 && value.error == nil && !value.wasCancelled)
        expectAll(error.error is Broken && error.value == nil && !error.wasCancelled, cancelled.wasCancelled)

        // A probe's priority can be raised.
        do {
            let executor = SeededExecutor(seed: 0)
            let probe = Probe(on: executor, priority: .low) { Task.currentPriority }
            probe.escalate(to: .high)
            executor.drain()
            expectEqual(probe.value, .high)
        }

        // A probe on the default pool is awaited.
        try await expectEqual(Probe { 1 }.finish(), 1)
        await expectError(Broken.self) { try await Probe<Int> { throw Broken() }.finish() }

        // A journal keeps the order.
        let journal = Journal<String>()
        for entry in ["a", "b", "a"] { journal.write(entry) }
        expectEqual(journal.entries, ["a", "b", "a"])
        expectEqual([journal.count, journal.count(of: "a")], [3, 2])
    }
}
