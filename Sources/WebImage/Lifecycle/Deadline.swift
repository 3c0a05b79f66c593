import TaskCoordination

/// A moment on a clock, up to which several pieces of work are waited for.
struct Deadline<Time: Clock<Duration>>: Sendable {
    private let clock: Time
    private let instant: Time.Instant
    private let executor: (any TaskExecutor)?

    /// - Parameter grace: From now on; from zero to ``ImageManager/maximumGrace``, to which others are moved.
    init(after grace: Duration, on clock: Time, executor: (any TaskExecutor)?) {
        self.clock = clock
        instant = clock.now.advanced(by: min(max(.zero, grace), ImageManager.maximumGrace))
        self.executor = executor
    }

    /// The time that is left, not negative.
    var remaining: Duration { max(.zero, clock.now.duration(to: instant)) }

    /// Waits until `work` has returned, or the deadline has come.
    ///
    /// - Returns: `false` when the deadline came first. The work goes on by itself then.
    func outlasts(_ work: @escaping @concurrent @Sendable () async -> Void) async -> Bool {
        let end = OneShot<Bool>()
        let (clock, instant) = (clock, instant)
        // Neither is a child task: the first end counts, and the other one is not waited for. The alarm is cancelled
        // below; work that never returns has nobody left who could end it.
        let alarm = Task(name: "deadline", executorPreference: executor) {
            guard (try? await clock.sleep(until: instant, tolerance: nil)) != nil else { return }
            end.resolve(false)
        }
        Task(name: "shut down a part", executorPreference: executor) {
            await work()
            end.resolve(true)
        }
        let isInTime = await end.wait()
        alarm.cancel()
        return isInTime
    }
}
