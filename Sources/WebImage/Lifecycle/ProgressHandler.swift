// SPDX-License-Identifier: MIT
import Dispatch

/// Runs a caller's progress handler on a separate thread.
///
/// Such a handler may block, so it runs on a thread that nothing else needs. The caller's task switches to that thread
/// for the call and back, so reports come in order, and the last one before the caller's own call returns.
final class ProgressHandler: TaskExecutor {
    /// The closure that a flight's caller runs with each report.
    typealias Hearing = (LoadProgress) async -> Void

    /// Gets a thread however many threads are blocked: serial queues are not limited to the number of cores.
    private let queue = DispatchQueue(label: "progress")
    private let handler: @Sendable (LoadProgress) -> Void

    private init(_ handler: @escaping @Sendable (LoadProgress) -> Void) { self.handler = handler }

    /// The handler on a separate thread.
    ///
    /// - Parameter executor: The executor of the manager's tasks when a test owns them. The handler is then called in
    ///   place.
    static func isolating(
        _ handler: (@Sendable (LoadProgress) -> Void)?, unlessOn executor: (any TaskExecutor)?
    ) -> Hearing? {
        guard let handler, executor == nil else { return handler }
        let place = ProgressHandler(handler)
        return { progress in
            await withTaskExecutorPreference(place) { await place.tell(progress) }
        }
    }

    /// Not on the caller's actor, which stays free.
    @concurrent private func tell(_ progress: LoadProgress) async { handler(progress) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
