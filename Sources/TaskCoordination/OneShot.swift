// SPDX-License-Identifier: MIT
import Locks

/// A value that is resolved once and awaited by one task.
///
/// The first ``resolve(_:)`` wins, whether it comes before or after the task waits, and every later one is refused.
public final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(Suspension<Value, Never>)
        case resolved(Value)
        case spent
    }

    private let state = Mutex(State.empty)

    /// Creates an unresolved one-shot.
    public init() {}

    /// Resolves the value and resumes the waiting task, if there is one.
    ///
    /// Safe to call from cancellation and escalation handlers: the waiting task is resumed after the lock is released.
    ///
    /// - Returns: `false`, and nothing happens, when the value was resolved before.
    /// - Complexity: O(1).
    @discardableResult
    public func resolve(_ value: Value) -> Bool {
        let (won, waiting) = state.withLock { state -> (Bool, Suspension<Value, Never>?) in
            switch state {
            case .empty:
                state = .resolved(value)
                return (true, nil)
            case .waiting(let suspension):
                state = .spent
                return (true, suspension)
            case .resolved, .spent:
                return (false, nil)
            }
        }
        // Resumed exactly once: only the step from `.waiting` to `.spent` takes the suspension out.
        waiting?.resume(returning: value)
        return won
    }

    /// Waits for the value and ignores cancellation.
    ///
    /// - Precondition: No other task waits, or has waited, for this one-shot.
    public func wait() async -> Value {
        await withSuspension(park)
    }

    /// Waits for the value, which the cancellation of the waiting task resolves to `fallback`.
    ///
    /// **Cancellation**: returns at once. A value resolved before the cancellation is returned all the same.
    ///
    /// - Precondition: No other task waits, or has waited, for this one-shot.
    public func wait(onCancel fallback: Value) async -> Value {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            resolve(fallback)
        }
    }

    /// Keeps the suspension until the value comes, or resumes it with the value that has come already.
    ///
    /// It cannot be lost: the task that waits holds the one-shot, and every state after `.waiting` is entered by the
    /// call that resumes it.
    private func park(_ suspension: Suspension<Value, Never>) {
        let ready = state.withLock { state -> Value? in
            switch state {
            case .empty:
                state = .waiting(suspension)
                return nil
            case .resolved(let value):
                state = .spent
                return value
            case .waiting, .spent:
                preconditionFailure("a OneShot is awaited by one task, once")
            }
        }
        if let ready { suspension.resume(returning: ready) }
    }
}
