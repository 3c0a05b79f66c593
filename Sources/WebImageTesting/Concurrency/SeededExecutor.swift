// SPDX-License-Identifier: MIT
import Locks

/// A task executor that runs nothing by itself: jobs are queued until the test runs them, in an order drawn from a
/// seed.
///
/// One seed is one interleaving, so a failure has a number and can be replayed exactly. After ``drain()`` every task is
/// suspended or finished: a task that has not finished by then cannot finish without another event.
///
/// Tasks started with `executorPreference:`, their children, the default actors and the nonisolated asynchronous
/// functions they call all run here. Unstructured tasks do not inherit the preference, so code under test passes it on.
/// Code on the main actor runs elsewhere.
///
/// - Source: SE-0417, task executor preference.
public final class SeededExecutor: TaskExecutor {
    fileprivate struct State {
        var jobs: [UnownedJob] = []
        var random: UInt64
    }

    private let state: Mutex<State>

    /// Creates an executor without jobs.
    ///
    /// Equal seeds choose the same order.
    public init(seed: UInt64) {
        // xorshift must not start at zero, and neighbouring seeds must not choose the same order.
        state = Mutex(State(random: (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1))
    }

    /// Keeps the job until the test runs it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// The number of jobs that can run now.
    public var pending: Int { state.withLock { $0.jobs.count } }

    /// Runs jobs on the calling thread until none is left.
    ///
    /// - Returns: The number of jobs that this call ran.
    @discardableResult
    public func drain() -> Int { run(steps: .max) }

    /// Runs at most `steps` jobs on the calling thread, to stop in the middle of an interleaving.
    ///
    /// - Returns: The number of jobs run; fewer than `steps` when none is left.
    @discardableResult
    public func run(steps: Int) -> Int {
        var ran = 0
        while ran < steps, let job = state.withLock({ $0.pick() }) {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            ran += 1
        }
        return ran
    }
}

extension SeededExecutor.State {
    fileprivate mutating func pick() -> UnownedJob? {
        guard !jobs.isEmpty else { return nil }
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        jobs.swapAt(Int(random % UInt64(jobs.count)), jobs.count - 1)
        return jobs.removeLast()
    }
}
