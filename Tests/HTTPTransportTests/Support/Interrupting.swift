// SPDX-License-Identifier: MIT
import Locks
import WebImageTesting

/// Does something in the moment in which a task is started, before its starter knows of the task.
final class Interrupting: TaskExecutor {
    let executor: SeededExecutor
    let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ executor: SeededExecutor) { self.executor = executor }

    func enqueue(_ job: consuming ExecutorJob) {
        let work = interruption.withLock { $0.take() }
        work?()
        executor.enqueue(job)
    }
}
