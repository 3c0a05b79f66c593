// SPDX-License-Identifier: MIT
/// Mistake 2, a failure that stays. A task keeps its value for every later caller, so the table of tasks is the cache,
/// too.
actor FailureThatStays: WithoutReports {
    private var tasks: [String: Task<Int, any Error>] = [:]
    private let executor: any TaskExecutor

    init(executor: any TaskExecutor) { self.executor = executor }

    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        if let task = tasks[key] { return try await task.value }
        let task = Task(executorPreference: executor) { try await operation() }
        tasks[key] = task
        return try await task.value
    }
}

// What is wrong: a task keeps its error as well. An origin that was away for a second is away for as long as the
// program runs.
// Right: a task leaves the table when it has ended. Values are kept elsewhere, errors nowhere.
