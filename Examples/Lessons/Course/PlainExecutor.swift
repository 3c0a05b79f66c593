// SPDX-License-Identifier: MIT
import Locks

/// A task executor that runs jobs on one thread, first come first served, and counts them.
///
/// What is measured on it does not depend on how the threads of a pool wake each other.
final class PlainExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs on the calling thread until none is left.
    ///
    /// - Returns: How many jobs were run.
    func drain() -> Int {
        var count = 0
        while true {
            let batch = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            if batch.isEmpty { return count }
            for job in batch { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            count += batch.count
        }
    }
}
