// SPDX-License-Identifier: MIT
/// Mistake 4, a late goodbye: a handler cannot wait for the actor, so it starts a task that does.
///
/// The count of callers is right when each step comes in time. But the task of the handler runs whenever it likes. When
/// it comes after the landing, the key may have a new flight with callers of its own. The goodbye names the key alone,
/// and is counted there: the new flight loses its only caller, and is cancelled.
///
/// **Right**: a goodbye names the flight, or better the caller, and one from an earlier flight changes nothing.
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
