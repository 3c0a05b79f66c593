// SPDX-License-Identifier: MIT
import TaskCoordination

/// An instant until which a shutdown waits for several pieces of work.
struct Deadline<Time: Clock<Duration>>: Sendable {
    private let clock: Time
    private let instant: Time.Instant
    private let executor: (any TaskExecutor)?

    /// - Parameter grace: The time from now, clamped to zero and ``ImageManager/maximumGrace``.
    init(after grace: Duration, on clock: Time, executor: (any TaskExecutor)?) {
        self.clock = clock
        instant = clock.now.advanced(by: min(max(.zero, grace), ImageManager.maximumGrace))
        self.executor = executor
    }

    /// The time left, at least zero.
    var remaining: Duration { max(.zero, clock.now.duration(to: instant)) }

    /// Waits until `work` has returned or the deadline has passed.
    ///
    /// - Returns: `false` when the deadline came first. The work then continues by itself.
    func outlasts(_ work: @escaping @concurrent @Sendable () async -> Void) async -> Bool {
        let end = OneShot<Bool>()
        let (clock, instant) = (clock, instant)
        // Neither is a child task: the first end counts, and the other task is not awaited. The alarm is cancelled
        // below; work that never returns cannot be ended.
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
