// SPDX-License-Identifier: MIT
/// Mistake 5, reports that overtake each other. `report` cannot wait for the actor, so each report gets a task that
/// brings it there.
actor ReportsThatOvertake: OncePerKey {
    private typealias Listener = @Sendable (Int) -> Void

    private var flights: [String: (task: Task<Int, any Error>, listeners: [Listener])] = [:]
    private let executor: any TaskExecutor

    init(executor: any TaskExecutor) { self.executor = executor }

    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        var flight = flights[key] ?? (start(key, operation), [])
        flight.listeners.append(onProgress)
        flights[key] = flight
        defer { if flights[key]?.task == flight.task { flights[key] = nil } }
        return try await flight.task.value
    }

    private func start(_ key: String, _ operation: @escaping Reporting) -> Task<Int, any Error> {
        Task(executorPreference: executor) { [executor] in
            try await operation { report in
                Task(executorPreference: executor) { await self.tell(key, report) }
            }
        }
    }

    private func tell(_ key: String, _ report: Int) {
        for listener in flights[key]?.listeners ?? [] { listener(report) }
    }
}

// What is wrong: tasks have no order among each other, so the progress bar jumps back. The last report may even come
// after the landing, when the flight is off the table.
// Right: a stream, which keeps the order, and one loop that brings its elements to the actor. Or a lock.
