// SPDX-License-Identifier: MIT
/// A value that is resolved once and awaited by one task.
protocol Waiting<Value>: Sendable {
    associatedtype Value: Sendable
    init()
    func resolve(_ value: Value)
    func wait(onCancel fallback: Value) async -> Value
}

/// The least program that needs such a wait: a task for each operation, and a caller that may leave it behind.
struct OneWait<Wait: Waiting>: WithoutReports where Wait.Value == Result<Int, any Error>? {
    let executor: any TaskExecutor

    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        let wait = Wait()
        let task = Task(executorPreference: executor) { wait.resolve(await Result(awaiting: operation)) }
        // On several threads the landing may overtake the caller here. On one thread it can do so only at this yield.
        await Task.yield()
        guard let landing = await wait.wait(onCancel: nil) else {
            task.cancel()
            throw CancellationError()
        }
        return try landing.get()
    }
}
