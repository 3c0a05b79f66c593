// SPDX-License-Identifier: MIT
import Locks

/// A value that changes, and the tasks that wait for what it becomes.
///
/// A task waits with a question, which a value answers or leaves open. Questions are asked under the lock, within each
/// change, so they must be short. The tasks are resumed after it, in the order in which they came.
package final class Watched<Value: Sendable>: Sendable {
    private struct Watcher {
        let wait: any AnyObject & Sendable
        /// What ends the wait, when the value answers its question.
        let end: @Sendable (Value) -> (@Sendable () -> Void)?
    }

    private struct State {
        var value: Value
        var watchers: [Watcher] = []
    }

    private let state: Mutex<State>

    /// Creates a value that no task waits for.
    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// The present value.
    package var value: Value { read { $0 } }

    /// A part of the present value.
    package func read<Part: Sendable>(_ part: (Value) -> Part) -> Part { state.withLock { part($0.value) } }

    /// The number of waiting tasks. For tests.
    package var watcherCount: Int { state.withLock { $0.watchers.count } }

    /// Changes the value, and resumes the tasks whose questions it answers now.
    ///
    /// - Complexity: O(number of waiting tasks).
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, ends) = state.withLock { state in
            let result = body(&state.value)
            guard !state.watchers.isEmpty else { return (result, [@Sendable () -> Void]()) }
            var ends: [@Sendable () -> Void] = []
            let value = state.value
            state.watchers.removeAll { watcher in
                guard let end = watcher.end(value) else { return false }
                ends.append(end)
                return true
            }
            return (result, ends)
        }
        for end in ends { end() }
        return result
    }

    /// Waits until the value answers a question; returns at once when it does so now.
    ///
    /// **Cancellation**: returns `nil` at once, unless it is ignored.
    ///
    /// - Parameters:
    ///   - ignoresCancellation: Whether a cancelled task waits on.
    ///   - question: Returns `nil` while the value leaves it open.
    @discardableResult
    package func answer<Answer: Sendable>(
        ignoringCancellation ignoresCancellation: Bool = false, to question: @escaping @Sendable (Value) -> Answer?
    ) async -> Answer? {
        let wait = OneShot<Answer?>()
        let watcher = Watcher(wait: wait) { value in
            guard let answer = question(value) else { return nil }
            return { wait.resolve(answer) }
        }
        let present = state.withLock { state -> Answer? in
            let answer = question(state.value)
            if answer == nil { state.watchers.append(watcher) }
            return answer
        }
        if let present { return present }
        if ignoresCancellation { return await wait.wait() }
        let answer = await wait.wait(onCancel: nil)
        if answer == nil { state.withLock { $0.watchers.removeAll { $0.wait === wait } } }
        return answer
    }
}
