// SPDX-License-Identifier: MIT
internal import Locks

/// A count that only grows, and the tasks that wait for it to reach a number.
final class Tally: Sendable {
    private struct Waiter {
        let threshold: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var count = 0
        var isClosed = false
        var nextID = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state: Mutex<State>

    init(count: Int = 0, isClosed: Bool = false) {
        state = Mutex(State(count: count, isClosed: isClosed))
    }

    /// The count now.
    var count: Int { state.withLock { $0.count } }

    /// Increments the count and wakes the tasks that wait for it.
    func increment() {
        let reached = state.withLock { state -> [Waiter] in
            state.count += 1
            guard !state.waiters.isEmpty else { return [] }
            let count = state.count
            let reached = state.waiters.filter { $0.value.threshold <= count }
            for id in reached.keys { state.waiters[id] = nil }
            return Array(reached.values)
        }
        for waiter in reached { waiter.continuation.resume(returning: true) }
    }

    /// Wakes all waiting tasks with `false`; later waits return at once.
    func close() {
        let left = state.withLock { state -> [Waiter] in
            state.isClosed = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in left { waiter.continuation.resume(returning: false) }
    }

    /// Waits until the count has reached the number.
    ///
    /// - Returns: `false` when the task was cancelled or the tally closed before.
    func wait(for threshold: Int) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The flag shows a cancellation before this lock; a later one finds the waiter.
                let answer = state.withLock { state -> Bool? in
                    if state.count >= threshold { return true }
                    if state.isClosed || Task.isCancelled { return false }
                    state.waiters[id] = Waiter(threshold: threshold, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: false)
        }
    }
}
