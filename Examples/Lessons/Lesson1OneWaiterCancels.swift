// SPDX-License-Identifier: MIT
import TaskCoordination

/// Lesson 1, one waiter cancels: a cancelled caller ends its wait at once.
enum Lesson1 {
    /// Runs one operation per key, however many callers ask for it.
    ///
    /// **The fault before**: callers wait for `task.value`. The cancellation of a caller does not reach the task, which
    /// is right, because the other callers need it. But it does not end the wait, either: `await task.value` returns
    /// when the task ends, and not before.
    ///
    /// **The mend**: each caller waits in a continuation of its own. Two events may resume it, the landing of the
    /// flight and the cancellation of the caller, and the first one wins. `OneShot` holds the continuation, as the wait
    /// of lesson 0½ does: the loser must not resume it again, and either event may come before the caller suspends.
    actor Flights<Key: Hashable & Sendable, Value: Sendable> {
        typealias Operation = @concurrent @Sendable () async throws -> Value

        /// How a flight ends.
        private typealias Landing = Result<Value, any Error>

        /// The wait of one caller. It is resolved to `nil` when the caller has been cancelled.
        private typealias Caller = OneShot<Landing?>

        /// The callers of each flight that has not landed. A key without an entry has no flight.
        private var callers: [Key: [Caller]] = [:]
        private let executor: (any TaskExecutor)?

        init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

        /// How many flights have not landed.
        var count: Int { callers.count }

        /// Joins the flight for `key`, or starts it, and waits for the landing.
        ///
        /// **Cancellation**: returns at once. The flight goes on.
        ///
        /// - Throws: What the operation threw; `CancellationError` when the calling task was cancelled.
        func value(for key: Key, operation: @escaping Operation) async throws -> Value {
            try Task.checkCancellation()
            let caller = Caller()
            if callers[key] == nil { start(key, operation) }
            callers[key, default: []].append(caller)
            // `onCancel` resolves the one-shot within the call that cancels. It needs no `await`, so it needs no task.
            guard let landing = await caller.wait(onCancel: nil) else { throw CancellationError() }
            return try landing.get()
        }

        /// The task lands itself, because no caller is sure to wait for it until it ends.
        private func start(_ key: Key, _ operation: @escaping Operation) {
            Task(executorPreference: executor) {
                await self.land(key, Result(awaiting: operation))
            }
        }

        /// Ends the flight: no later caller finds it, and every caller that still waits gets the landing.
        private func land(_ key: Key, _ landing: Landing) {
            for caller in callers.removeValue(forKey: key) ?? [] { caller.resolve(landing) }
        }
    }
}
