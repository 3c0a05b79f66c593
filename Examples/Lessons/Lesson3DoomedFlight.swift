// SPDX-License-Identifier: MIT
import TaskCoordination

/// Lesson 3, the doomed flight and identity: a cancelled flight is never joined, and ends itself alone.
enum Lesson3 {
    /// Runs one operation per key, however many callers ask for it.
    ///
    /// **The fault before**: cancellation in Swift is a request. A cancelled operation needs time to unwind, and until
    /// it returns the doomed flight is still in the table. A new caller joins it and gets a `CancellationError`,
    /// although the caller was never cancelled.
    ///
    /// **The mend** has two halves, and each is wrong without the other:
    ///
    /// - The last caller out takes the flight off the table in the step in which it cancels the task. A new caller
    ///   finds no flight and starts a fresh one.
    /// - Now two flights of one key can be in the air. Each has an identity, and `land` looks at it: the doomed flight
    ///   must not take its successor off the table, and must not answer the successor's callers.
    actor Flights<Key: Hashable & Sendable, Value: Sendable> {
        typealias Operation = @concurrent @Sendable () async throws -> Value

        private typealias Landing = Result<Value, any Error>
        private typealias Caller = OneShot<Landing?>

        private struct Flight {
            let id: Int
            let task: Task<Void, Never>
            var callers: [Caller] = []
        }

        private var flights: [Key: Flight] = [:]
        private var lastID = 0
        private let executor: (any TaskExecutor)?

        init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

        /// How many flights can be joined. Doomed ones are not counted.
        var count: Int { flights.count }

        /// Joins the flight for `key`, or starts it, and waits for the landing.
        ///
        /// **Cancellation**: returns at once. The last caller to leave cancels the flight; a later caller gets a fresh
        /// one.
        ///
        /// - Throws: What the operation threw; `CancellationError` when the calling task was cancelled.
        func value(for key: Key, operation: @escaping Operation) async throws -> Value {
            try Task.checkCancellation()
            let caller = Caller()
            flights[key, default: start(key, operation)].callers.append(caller)
            guard let landing = await caller.wait(onCancel: nil) else {
                leave(key, caller)
                throw CancellationError()
            }
            return try landing.get()
        }

        private func start(_ key: Key, _ operation: @escaping Operation) -> Flight {
            lastID += 1
            let task = Task(executorPreference: executor) { [id = lastID] in
                await self.land(key, id, Result(awaiting: operation))
            }
            return Flight(id: lastID, task: task)
        }

        /// The caller is its own identity: a successor of the flight does not hold it.
        private func leave(_ key: Key, _ caller: Caller) {
            guard let index = flights[key]?.callers.firstIndex(where: { $0 === caller }) else { return }
            flights[key]?.callers.remove(at: index)
            if flights[key]?.callers.isEmpty == true { flights.removeValue(forKey: key)?.task.cancel() }
        }

        private func land(_ key: Key, _ id: Int, _ landing: Landing) {
            guard flights[key]?.id == id else { return }
            for caller in flights.removeValue(forKey: key)?.callers ?? [] { caller.resolve(landing) }
        }
    }
}
