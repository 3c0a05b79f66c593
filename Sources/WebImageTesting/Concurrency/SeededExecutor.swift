import Synchronization

/// A task executor that runs nothing by itself: jobs pile up until the test runs them, in an order drawn from a seed.
///
/// One seed is one interleaving, so a failure has a number and replays exactly. After ``drain()`` every task is parked or
/// finished, which is an exact statement where waiting a while is a hope: a task that has not finished by then never will
/// without another event.
///
/// Tasks started with `executorPreference:`, their children, the default actors and the nonisolated asynchronous functions
/// they call all run here. Unstructured tasks do not inherit the preference, so code under test passes it on. Code on the
/// main actor is not caught.
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
    /// Equal seeds choose equally.
    public init(seed: UInt64) {
        // xorshift must not start at zero, and neighbouring seeds must not choose alike.
        state = Mutex(State(random: (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1))
    }

    /// Keeps the job until the test runs it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// How many jobs could run now.
    public var pending: Int { state.withLock { $0.jobs.count } }

    /// Runs jobs on the calling thread until none is left.
    ///
    /// - Returns: How many jobs were run by this call.
    @discardableResult
    public func drain() -> Int { run(steps: .max) }

    /// Runs at most `steps` jobs on the calling thread, to stop in the middle of things.
    ///
    /// - Returns: How many jobs were run; fewer than `steps` when none is left.
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
