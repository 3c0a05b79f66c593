// SPDX-License-Identifier: MIT
import TaskCoordination

/// Lesson 2, the last one out: a flight that no caller waits for is cancelled.
enum Lesson2 {
    /// Runs one operation per key, however many callers ask for it.
    ///
    /// **The fault before**: when every caller has been cancelled, the flight still runs to its end. It holds a
    /// connection and a processor for a value that no caller wants.
    ///
    /// **The mend**: a cancelled caller leaves its flight, and the last one to leave cancels the task. The table
    /// therefore keeps the task's handle again, to cancel it and not to wait for it. To remove the caller and to ask
    /// whether it was the last one is one synchronous step of the actor: a new caller joins before the step and keeps
    /// the flight in the air, or comes after it.
    actor Flights<Key: Hashable & Sendable, Value: Sendable> {
        typealias Operation = @concurrent @Sendable () async throws -> Value

        private typealias Landing = Result<Value, any Error>
        private typealias Caller = OneShot<Landing?>

        /// One operation under way.
        private struct Flight {
            let task: Task<Void, Never>
            var callers: [Caller] = []
        }

        private var flights: [Key: Flight] = [:]
        private let executor: (any TaskExecutor)?

        init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

        /// How many flights have not landed.
        var count: Int { flights.count }

        /// Joins the flight for `key`, or starts it, and waits for the landing.
        ///
        /// **Cancellation**: returns at once. The last caller to leave cancels the flight.
        ///
        /// - Throws: What the operation threw; `CancellationError` when the calling task was cancelled.
        func value(for key: Key, operation: @escaping Operation) async throws -> Value {
            try Task.checkCancellation()
            let caller = Caller()
            flights[key, default: Flight(task: start(key, operation))].callers.append(caller)
            guard let landing = await caller.wait(onCancel: nil) else {
                leave(key, caller)
                throw CancellationError()
            }
            return try landing.get()
        }

        private func start(_ key: Key, _ operation: @escaping Operation) -> Task<Void, Never> {
            Task(executorPreference: executor) {
                await self.land(key, Result(awaiting: operation))
            }
        }

        /// Removes the caller from its flight, unless the flight has landed since, and cancels a flight without
        /// callers.
        private func leave(_ key: Key, _ caller: Caller) {
            guard let index = flights[key]?.callers.firstIndex(where: { $0 === caller }) else { return }
            flights[key]?.callers.remove(at: index)
            if flights[key]?.callers.isEmpty == true { flights[key]?.task.cancel() }
        }

        private func land(_ key: Key, _ landing: Landing) {
            for caller in flights.removeValue(forKey: key)?.callers ?? [] { caller.resolve(landing) }
        }
    }
}
