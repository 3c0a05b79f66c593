// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Threads and memory of the work on pictures, in one order.
@Suite(.timeLimit(.minutes(1))) struct JobQueueTests {
    private let queue = JobQueue(width: 2, byteLimit: 100, maximumQueueLength: 3)

    @Test func `the first in the queue may have its memory when no work has any`() async throws {
        let picture = queue.share(of: 90)
        let original = OriginalShare(queue, 90)
        let first = try await queue.turn()
        expect(first.take(100))
        let second = try await queue.turn()
        expect(!second.take(1))
        first.end()
        expect(second.take(1))
        second.end()
        expectEqual([queue.byteCount, queue.originalByteCount], [90, 90])
        withExtendedLifetime((picture, original)) {}
        expectEqual(queue.entryCount, 0)
    }

    @Test(arguments: Seeds.first(200))
    func `work that waits for memory keeps its place, and nothing behind it begins`(seed: UInt64) throws {
        let executor = SeededExecutor(seed: seed)
        let order = Journal<Int>()
        let queue = queue
        let holder = Probe(on: executor) { try await queue.turn() }
        executor.drain()
        expectEqual(holder.value?.take(60), true)
        // The others would fit in what the holder leaves, and must not pass the first.
        let work = [80, 30, 30].enumerated().map { number, byteCount in
            let probe = Probe(on: executor) {
                let turn = try await queue.turn()
                if !turn.take(byteCount) { try await turn.wait(for: byteCount) }
                order.write(number)
                turn.end()
            }
            executor.drain()
            return probe
        }
        expectEqual(queue.queued, 3)
        expectEqual(order.entries, [])
        holder.value?.end()
        executor.drain()
        expect(work.allSatisfy { !$0.isRunning })
        expectEqual(order.entries.first, 0)
        expectEqual([queue.byteCount, queue.entryCount], [0, 0])
    }

    @Test func `work that reads its header passes none that waits for memory`() async throws {
        let queue = JobQueue(width: 3, byteLimit: 100, maximumQueueLength: 3)
        let (holder, first, second) = (try await queue.turn(), try await queue.turn(), try await queue.turn())
        expectAll(holder.take(60), !first.take(80))
        let waiting = Probe { try await first.wait(for: 80) }
        while queue.queued < 1 { await Task.yield() }
        expect(!second.take(30))
        holder.end()
        try await waiting.finish()
        first.end()
        expect(second.take(30))
        second.end()
    }

    @Test func `work that needs no memory waits for none, whatever is read before it, or held`() async throws {
        let (picture, original) = (queue.share(of: 90), OriginalShare(queue, 90))
        let (reading, preview) = (try await queue.turn(), try await queue.turn())
        expect(preview.take(0))
        expect(reading.take(10))
        for turn in [preview, reading] { turn.end() }
        withExtendedLifetime((picture, original)) {}
    }

    @Test func `work does not grow into the memory that other work waits for`() async throws {
        let (holder, other) = (try await queue.turn(), try await queue.turn())
        expectAll(holder.take(40), holder.grow(by: 10), queue.byteCount == 50, !other.take(80))
        let waiting = Probe { try await other.wait(for: 80) }
        while queue.queued < 1 { await Task.yield() }
        expect(!holder.grow(by: 10))
        let share = holder.share(of: 30)
        expectEqual(queue.byteCount, 50, "a picture has a part of the memory of its work")
        holder.end()
        withExtendedLifetime(share) { expectEqual(queue.byteCount, 30 + 80) }
        try await waiting.finish()
        other.end()
    }

    @Test(arguments: Seeds.first(200))
    func `a waiter that is cancelled at any step leaves nothing, and lets others pass`(seed: UInt64) throws {
        let executor = SeededExecutor(seed: seed)
        let queue = queue
        let work = [100, 60, 60].map { byteCount in
            Probe(on: executor) {
                let turn = try await queue.turn()
                await Task.yield()
                // After an error it has neither a thread nor memory.
                if !turn.take(byteCount) { try await turn.wait(for: byteCount) }
                await Task.yield()
                withExtendedLifetime(turn.share(of: byteCount / 2)) {}
                turn.end()
            }
        }
        executor.run(steps: Int(seed % 23))
        work[Int(seed % 3)].cancel()
        executor.drain()
        expect(work.allSatisfy { !$0.isRunning })
        expectEqual([queue.byteCount, queue.entryCount], [0, 0])
    }

    @Test func `what finds the queue full is refused, and all is after the end`() async throws {
        let holders = [try await queue.turn(), try await queue.turn()]
        let waiting = (0..<3).map { _ in Probe { try await queue.turn() } }
        while queue.queued < 3 { await Task.yield() }
        await expectEqual(expectError(CoordinationError.self) { try await queue.turn() }?.code, .overloaded)
        // Also when a thread is free, while the first waits for memory.
        let other = JobQueue(width: 2, byteLimit: 100, maximumQueueLength: 1)
        let (one, two) = (try await other.turn(), try await other.turn())
        expect(one.take(100) && !two.take(100))
        let head = Probe { try await two.wait(for: 100) }
        while other.queued < 1 { await Task.yield() }
        await expectEqual(expectError(CoordinationError.self) { try await other.turn() }?.code, .overloaded)
        one.end()
        try await head.finish()
        two.end()

        queue.close()
        for probe in waiting {
            await expectEqual(expectError(CoordinationError.self) { try await probe.finish() }?.code, .shutDown)
        }
        await expectEqual(expectError(CoordinationError.self) { try await queue.turn() }?.code, .shutDown)
        for turn in holders { turn.end() }
        expectEqual(queue.entryCount, 0)
    }
}
