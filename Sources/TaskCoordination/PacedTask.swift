// SPDX-License-Identifier: MIT
/// A task that takes a step after a pause, and another one as long as each names the pause before the next.
///
/// A sweep, a watch, the next frame of an animation: it outlives the call that starts it, so it is no child. Its owner
/// keeps the reference, and it ends with the last one. So a step must not hold the owner.
package final class PacedTask: Sendable {
    private let task: Task<Void, Never>

    /// Starts the task.
    ///
    /// - Parameters:
    ///   - name: The name of the task.
    ///   - executor: Where it runs; `nil` for the global pool.
    ///   - priority: `nil` for that of the calling task.
    ///   - clock: Measures the pauses.
    ///   - pause: The time before the first step; zero for none.
    ///   - step: Returns the time before the next step; `nil` when there is none. A first step without a pause is always
    ///     taken. One that must not follow ``cancel()`` looks at its cancellation first: it may come after the pause,
    ///     and before the step.
    package init(
        _ name: String, on executor: (any TaskExecutor)? = nil, priority: TaskPriority? = nil,
        clock: any Clock<Duration> = ContinuousClock(), after pause: Duration = .zero,
        _ step: @escaping @concurrent @Sendable () async -> Duration?
    ) {
        task = Task(name: name, executorPreference: executor, priority: priority) {
            var next: Duration? = pause
            while let pause = next {
                if pause > .zero, (try? await clock.sleep(for: pause.countable)) == nil { return }
                next = await step()
                if Task.isCancelled { return }
            }
        }
    }

    deinit { task.cancel() }

    /// Raises the priority of the task.
    package func escalate(to priority: TaskPriority) { task.escalatePriority(to: priority) }

    /// Ends the task after the step under way.
    package func cancel() { task.cancel() }

    /// Returns when the task has ended.
    package func wait() async { await task.value }
}
