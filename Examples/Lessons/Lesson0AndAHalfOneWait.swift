// SPDX-License-Identifier: MIT
import Locks

/// Lesson 0½, one wait: a continuation, a cancellation handler, and a lock between the two.
enum Lesson0AndAHalf {
    /// **The fault before**: two events may end the wait of a caller, the landing and the caller's cancellation. This
    /// draft keeps the continuation and hands it to the event that comes first. The lock is right: only one event gets
    /// the continuation, so it is resumed at most once. But it is not resumed at least once. Either event may come
    /// before the caller has suspended. It finds no continuation, it is lost, and the caller waits for ever.
    final class Draft<Value: Sendable>: Waiting {
        private let suspended = Mutex<CheckedContinuation<Value, Never>?>(nil)

        func resolve(_ value: Value) { suspended.withLock { $0.take() }?.resume(returning: value) }

        func wait(onCancel fallback: Value) async -> Value {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    suspended.withLock { $0 = continuation }
                }
            } onCancel: {
                resolve(fallback)
            }
        }
    }

    /// A value that two events may resolve, and that one task waits for.
    ///
    /// **The mend**: the state remembers an event that came too early.
    ///
    /// | state | the caller suspends | an event comes |
    /// |---|---|---|
    /// | `empty` | keep the continuation | keep the value for the caller |
    /// | `suspended` | a mistake of the program | resume the caller |
    /// | `resolved` | resume at once | the event is the second one, and is refused |
    ///
    /// Each cell is one step under the lock. From `suspended` to `resolved` is the one way to take the continuation
    /// out, so it is resumed exactly once.
    final class Wait<Value: Sendable>: Waiting {
        private enum State { case empty, suspended(CheckedContinuation<Value, Never>), resolved(Value) }
        private let state = Mutex(State.empty)

        /// Resumes the caller with the first value. Later ones are dropped.
        func resolve(_ value: Value) {
            let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
                if case .resolved = state { return nil }
                defer { state = .resolved(value) }
                if case .suspended(let continuation) = state { return continuation }
                return nil
            }
            // After the lock: to resume a task may run code that takes the same lock.
            waiting?.resume(returning: value)
        }

        /// Waits for the first value. The cancellation of the calling task resolves the wait to `fallback`.
        func wait(onCancel fallback: Value) async -> Value {
            // The handler first: it also hears of a cancellation from before, and then runs before the body does.
            await withTaskCancellationHandler {
                // The closure runs at once, on the calling task, and the task suspends when it has returned.
                await withCheckedContinuation { park($0) }
            } onCancel: {
                // Any thread may cancel, at any moment: also between the two lines above.
                resolve(fallback)
            }
        }

        private func park(_ continuation: CheckedContinuation<Value, Never>) {
            let early = state.withLock { state -> Value? in
                if case .resolved(let value) = state { return value }
                state = .suspended(continuation)
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }
}
