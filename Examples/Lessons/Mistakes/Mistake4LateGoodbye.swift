// SPDX-License-Identifier: MIT
/// Mistake 4, a late goodbye. A count of callers tells which of them is the last one. A handler cannot wait for the
/// actor, so it starts a task that tells the actor.
actor LateGoodbye: WithoutReports {
    private var flights: [String: (task: Task<Int, any Error>, callers: Int)] = [:]
    private let executor: any TaskExecutor

    init(executor: any TaskExecutor) { self.executor = executor }

    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        var flight = flights[key] ?? (Task(executorPreference: executor) { try await operation() }, 0)
        flight.callers += 1
        flights[key] = flight
        return try await withTaskCancellationHandler {
            defer { if flights[key]?.task == flight.task { flights[key] = nil } }
            return try await flight.task.value
        } onCancel: {
            Task(executorPreference: executor) { await self.leave(key) }
        }
    }

    private func leave(_ key: String) {
        flights[key]?.callers -= 1
        if flights[key]?.callers == 0 { flights.removeValue(forKey: key)?.task.cancel() }
    }
}

// What is wrong: the task of the handler runs whenever it likes. When it comes after the landing, the key may have a
// new flight. The goodbye names the key alone, so the new flight loses its only caller, and is cancelled.
// Right: a goodbye names the flight, or better the caller. One from an earlier flight changes nothing.
