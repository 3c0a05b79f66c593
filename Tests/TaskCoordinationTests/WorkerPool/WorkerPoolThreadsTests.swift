// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

/// The pool on threads of its own.
///
/// Each test has its own name for them, as the tests run side by side.
@Suite(.timeLimit(.minutes(1))) struct WorkerPoolThreadsTests {
    @Test func `threads are named, bounded in number, and gone after shutdown`() async throws {
        let pool = WorkerPool(name: "bounded-threads-of-a-pool", width: 3, maximumQueueLength: 100)
        let blocker = Blocker()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { try await pool.run { blocker.block() } }
            }
            while pool.queued < 17 { await Task.yield() }
            await blocker.reached()
            expect(threads(named: "bounded-threa").count, <=, 3)
            for _ in 0..<20 { blocker.release() }
            try await group.waitForAll()
        }
        let names = threads(named: "bounded-threa")
        expect(!names.isEmpty)
        expect(Set(names).isSubset(of: ["bounded-threa-1", "bounded-threa-2", "bounded-threa-3"]))
        await pool.shutdown()
        expectEmpty(threads(named: "bounded-threa"), "shutdown has joined them")
        await expectError(CoordinationError.self) { try await pool.run {} }
    }

    @Test
    func `bodies really run side by side, off the caller's thread, and a thread that works does not count as idle`()
        async throws
    {
        // Bodies really run side by side, off the caller's thread.
        let pool = WorkerPool(name: "together", width: 2, maximumQueueLength: 10)
        let (left, right) = (Blocker(), Blocker())
        async let one: Void = pool.run { left.block() }
        async let other: Void = pool.run { right.block() }
        await left.reached()
        await right.reached()
        expectEqual(pool.running, 2)
        left.release()
        right.release()
        _ = try await (one, other)
        await pool.shutdown()

        // A thread that works does not count as idle: the next body gets one of its own.
        do {
            let pool = WorkerPool(name: "busy", width: 2, maximumQueueLength: 10)
            let blocker = Blocker()
            let first = Probe { try await pool.run { blocker.block() } }
            await blocker.reached()
            // Would wait for the first body if that thread passed for idle.
            try await pool.run {}
            blocker.release()
            try await first.finish()
            await pool.shutdown()
            expectEqual(pool.entryCount, 0)
        }
    }

    @Test func `niceness is the threads' own`() async throws {
        let pool = WorkerPool(name: "nice", width: 1, maximumQueueLength: 1, niceness: 7)
        let (before, inside) = (niceness(), try await pool.run { niceness() })
        expectEqual(inside, min(before + 7, 19))
        expectEqual(niceness(), before)
        await pool.shutdown()
    }

    @Test
    func `threads that are no longer needed end without a shutdown, a stuck one when its body ends`() async throws {
        // Threads that are no longer needed end without a shutdown.
        do {
            let pool = WorkerPool(name: "abandoned", width: 2, maximumQueueLength: 1)
            try await pool.run {}
            expect(!threads(named: "abandoned").isEmpty)
        }
        while !threads(named: "abandoned").isEmpty { await Task.yield() }

        // An abandoned pool leaves a thread that is stuck, which ends when its body does.
        let pool = WorkerPool(name: "stuck-threads", width: 2, maximumQueueLength: 10)
        let blocker = Blocker()
        async let stuck: Void = pool.run { blocker.block() }
        async let other: Int = pool.run { 1 }
        await blocker.reached()
        try await expectEqual(other, 1)
        pool.abandon()
        await expectError(CoordinationError.self) { try await pool.run {} }
        while threads(named: "stuck-threads").count > 1 { await Task.yield() }
        expectEqual(pool.running, 1)
        blocker.release()
        try await stuck
        while !threads(named: "stuck-threads").isEmpty { await Task.yield() }
        await pool.shutdown()
        expectEqual(pool.running, 0)
    }

    @Test @MainActor func `a body does not run on the caller's actor, which stays free`() async throws {
        let pool = WorkerPool(name: "off-main", width: 1, maximumQueueLength: 1)
        let blocker = Blocker()
        let caller = Task { @MainActor in try await pool.run { blocker.block() } }
        await blocker.reached()
        blocker.release()  // reached only when the main actor was not blocked
        try await caller.value
        await pool.shutdown()
    }

    private func threads(named prefix: String) -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines)
        }.filter { $0.hasPrefix(prefix) }
    }
}

/// The nice value of the calling thread.
private func niceness() -> CInt { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
