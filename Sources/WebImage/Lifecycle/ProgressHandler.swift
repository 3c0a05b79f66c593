import Dispatch

/// Where a handler of the caller runs that is told of progress.
///
/// Such a handler may block, so it runs on no thread that others need. Its caller's task goes there for the call and
/// comes back, so reports come in order, the last one before the caller's own call returns.
final class ProgressHandler: TaskExecutor {
    /// What a flight's caller calls with each report.
    typealias Hearing = (LoadProgress) async -> Void

    /// Has a thread however many others are blocked: a serial queue is not bound to the number of cores.
    private let queue = DispatchQueue(label: "progress")
    private let handler: @Sendable (LoadProgress) -> Void

    private init(_ handler: @escaping @Sendable (LoadProgress) -> Void) { self.handler = handler }

    /// The handler on a thread apart.
    ///
    /// - Parameter executor: Where the manager's tasks run when a test owns them; the handler is called in place then.
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
