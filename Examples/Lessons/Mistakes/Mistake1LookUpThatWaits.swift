// SPDX-License-Identifier: MIT
/// Mistake 1, a look-up that waits. A picture that is on disk needs no task, so the table asks the disk first.
actor LookUpThatWaits: WithoutReports {
    /// The pictures that are kept. Here it is empty.
    actor Disk {
        var pictures: [String: Int] = [:]

        func picture(for key: String) -> Int? { pictures[key] }
    }

    private let disk = Disk()
    private var tasks: [String: Task<Int, any Error>] = [:]
    private let executor: any TaskExecutor

    init(executor: any TaskExecutor) { self.executor = executor }

    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        if let task = tasks[key] { return try await task.value }
        if let picture = await disk.picture(for: key) { return picture }
        let task = Task(executorPreference: executor) { try await operation() }
        tasks[key] = task
        defer { tasks[key] = nil }
        return try await task.value
    }
}

// What is wrong: an actor runs one piece of code at a time, but only from one `await` to the next. While the first
// caller waits for the disk, a second one enters. It finds no task, either, and both start one.
// Right: look up and insert in one synchronous step. The task asks the disk, not the caller.
