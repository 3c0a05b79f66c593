// SPDX-License-Identifier: MIT
/// Mistake 3, one cancels all. To await `task.value` does not cancel the task, so a handler passes the cancellation
/// on.
actor OneCancelsAll: WithoutReports {
    private var tasks: [String: Task<Int, any Error>] = [:]
    private let executor: any TaskExecutor

    init(executor: any TaskExecutor) { self.executor = executor }

    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        let task = tasks[key] ?? Task(executorPreference: executor) { try await operation() }
        tasks[key] = task
        defer { tasks[key] = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

// What is wrong: the handler is right for a task with one caller. Here the other callers, which were never cancelled,
// get a `CancellationError`.
// Right: a cancelled caller ends its own wait. Only the last one to leave cancels the task.
