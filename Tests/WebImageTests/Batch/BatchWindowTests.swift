// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Loads that land before their handle is stored.
@Suite(.timeLimit(.minutes(1))) struct BatchWindowTests {
    /// Runs every job within the call that enqueues it, so that a load lands before its task is made.
    private final class InPlace: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private static func manager(_ executor: (any TaskExecutor)?) -> ImageManager {
        ImageManager(
            configuration: .init(),
            parts: .init(
                transport: StubTransport(HTTPResponse.keptPicture), disk: nil,
                processing: WorkerPool(name: "image", width: 2, maximumQueueLength: 1_000), executor: executor))
    }

    @Test func `a load that lands before its handle is stored leaves no handle`() async throws {
        let manager = Self.manager(InPlace())
        _ = try await manager.load(.numbered(1))
        let window = BatchWindow(manager.images(for: [], atOnce: 3))
        for index in 0..<3 { window.begin(.numbered(1), index, .medium) }
        expectAll(window.entryCount == 3, !window.hasRoom)
        for index in 0..<3 {
            let outcome = await window.outcome()
            expectEqual(outcome?.index, index)
            expectEqual(outcome?.result.isCancelled, false)
        }
        expectAll(window.entryCount == 0, window.hasRoom)
        await expectNil(window.outcome(), "the batch is over")
    }

    @Test func `a batch of pictures in memory ends on real threads`() async throws {
        let manager = Self.manager(nil)
        var (seen, number) = (Set<Int>(), 0)
        for await outcome in manager.images(for: (0..<StressRounds.count).lazy.map { .numbered($0 % 10) }) {
            seen.insert(outcome.index)
            number += 1
        }
        expectEqual(seen.count, StressRounds.count)
        expectEqual(number, StressRounds.count)
        await expectAll(manager.occupancy.isIdle, manager.pipeline.order.count == 0)
        expectEqual([manager.pipeline.pictures.entryCount, manager.downloader.entryCount], [0, 0])
        expectEqual(manager.pipeline.processing.entryCount, 0)
    }
}

/// The number of calls in a race on real threads.
enum StressRounds {
    #if THREAD_SANITIZER
    static let count = 5_000
    #else
    static let count = 50_000
    #endif
}
