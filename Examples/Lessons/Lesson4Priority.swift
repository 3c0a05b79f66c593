// SPDX-License-Identifier: MIT
import TaskCoordination

/// Lesson 4, priority and escalation: a flight is as urgent as its most urgent caller.
enum Lesson4 {
    /// Runs one operation per key, however many callers ask for it.
    ///
    /// **The fault before**: the flight keeps the priority of the caller that started it. The runtime raises a task
    /// when a more urgent task waits for its handle. Since lesson 1 callers wait in continuations, and the runtime
    /// cannot know which task will resume one. An urgent caller of a background flight waits at background speed:
    /// priority inversion.
    ///
    /// **The mend**: callers pass their priority on by hand, when they join and when they are escalated while they
    /// wait. The order matters: the handler is installed first and the priority is read second. The other way round, an
    /// escalation between the two would be missed. The flight is a detached task from here on: it belongs to all of its
    /// callers, so neither the priority nor the task-local values of the first one govern it.
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
        /// **Priority**: the flight rises with its callers and never falls.
        ///
        /// - Throws: What the operation threw; `CancellationError` when the calling task was cancelled.
        func value(for key: Key, operation: @escaping Operation) async throws -> Value {
            try Task.checkCancellation()
            let (task, caller) = join(key, operation)
            let landing = await withTaskPriorityEscalationHandler {
                task.escalatePriority(to: Task.currentPriority)
                return await caller.wait(onCancel: nil)
            } onPriorityEscalated: { _, new in
                // A handle may be used from anywhere: the escalation needs no turn on the actor.
                task.escalatePriority(to: new)
            }
            if let landing { return try landing.get() }
            leave(key, caller)
            throw CancellationError()
        }

        private func join(_ key: Key, _ operation: @escaping Operation) -> (Task<Void, Never>, Caller) {
            var flight = flights[key] ?? start(key, operation)
            let caller = Caller()
            flight.callers.append(caller)
            flights[key] = flight
            return (flight.task, caller)
        }

        private func start(_ key: Key, _ operation: @escaping Operation) -> Flight {
            lastID += 1
            let task = Task.detached(executorPreference: executor, priority: Task.currentPriority) { [id = lastID] in
                await self.land(key, id, Result(awaiting: operation))
            }
            return Flight(id: lastID, task: task)
        }

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
