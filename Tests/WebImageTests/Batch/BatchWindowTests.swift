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

    private static func manager(_ executor: any TaskExecutor) -> ImageManager {
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
}
