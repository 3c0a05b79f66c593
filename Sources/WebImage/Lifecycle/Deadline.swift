// SPDX-License-Identifier: MIT
import TaskCoordination

/// An instant until which a shutdown waits for several pieces of work.
package struct Deadline<Time: Clock<Duration>>: Sendable {
    private let clock: Time
    private let instant: Time.Instant
    private let executor: (any TaskExecutor)?

    /// - Parameter grace: The time from now, clamped to zero and ``ImageManager/maximumGrace``.
    package init(after grace: Duration, on clock: Time, executor: (any TaskExecutor)?) {
        self.clock = clock
        instant = clock.now.advanced(by: min(max(.zero, grace), ImageManager.maximumGrace))
        self.executor = executor
    }

    /// The time left, at least zero.
    package var remaining: Duration { max(.zero, clock.now.duration(to: instant)) }

    /// Waits until `work` has returned or the deadline has passed.
    ///
    /// - Returns: `false` when the deadline came first. The work then continues by itself.
    package func outlasts(_ work: @escaping @concurrent @Sendable () async -> Void) async -> Bool {
        let end = OneShot<Bool>()
        return await end.wait(for: "shut down a part", on: executor, leavingRunning: true) {
            async let _ = end.resolve(false, after: remaining, on: clock)
            await work()
            end.resolve(true)
        }
    }
}
