// SPDX-License-Identifier: MIT
/// Work that a caller waits for, and may leave behind.
extension OneShot {
    /// Starts `work`, which resolves the one-shot, and waits for the value.
    ///
    /// The value may come from elsewhere before: from a deadline, which `work` keeps as a child, or from the call that
    /// ends its owner. The wait is then over, and the work, which may not heed its cancellation, returns by itself.
    /// That is why the work is no child of the caller. Its deadline counts whether or not the caller is cancelled.
    ///
    /// **Cancellation**: with a `fallback` it returns at once, and the work is cancelled; without one it is ignored.
    /// **Priority**: the work follows the escalation of the calling task.
    ///
    /// - Parameters:
    ///   - name: The name of the work's task.
    ///   - executor: Where the work runs; `nil` for the global pool.
    ///   - fallback: The value for a cancelled caller.
    ///   - isLeftRunning: Whether the work goes on without being cancelled when it is left behind.
    ///   - work: Must resolve the one-shot.
    /// - Precondition: No other task waits, or has waited, for this one-shot.
    package func wait(
        for name: String, on executor: (any TaskExecutor)? = nil, onCancel fallback: Value? = nil,
        leavingRunning isLeftRunning: Bool = false, _ work: @escaping @concurrent @Sendable () async -> Void
    ) async -> Value {
        let task = Task(name: name, executorPreference: executor) { await work() }
        var value: Value?
        await withTaskCancellationHandler {
            await withPriorityEscalation(to: { task.escalatePriority(to: TaskPriority(rawValue: $0)) }) {
                value = await wait()
            }
        } onCancel: {
            guard let fallback else { return }
            resolve(fallback)
            task.cancel()
        }
        if !isLeftRunning { task.cancel() }
        // The closures above run once, whatever happens.
        return value!
    }

    /// Resolves the one-shot when the time is over, unless the calling task is cancelled before.
    package func resolve(_ value: Value, after limit: Duration, on clock: any Clock<Duration>) async {
        if (try? await clock.sleep(for: limit.countable)) != nil { resolve(value) }
    }
}

extension Duration {
    /// The duration as a pause: clocks trap on times that they cannot count in nanoseconds; thirty years are long
    /// enough.
    package var countable: Duration { min(max(self, .zero), .seconds(1_000_000_000)) }
}
