// SPDX-License-Identifier: MIT
/// The draft with which the lessons begin: a task for each key, in a dictionary, on an actor.
enum Lesson0 {
    /// Runs one operation per key, however many callers ask for it.
    ///
    /// The first caller for a key starts the operation; later callers wait for the same task. The draft is right in
    /// three points, and every later lesson keeps them:
    ///
    /// - Look-up and insertion are one synchronous step. Between them is no `await`, so that no other caller can enter
    ///   the actor there and start a second operation.
    /// - The operation runs in an unstructured task, because it belongs to several callers. A child task of the first
    ///   caller would be cancelled with that caller.
    /// - An error reaches every caller of the operation and is not remembered: the next caller tries again.
    ///
    /// The draft is wrong in six points. Each lesson shows one of them and mends it.
    actor Flights<Key: Hashable & Sendable, Value: Sendable> {
        /// The shared work. `@concurrent`, so that it does not run on this actor.
        typealias Operation = @concurrent @Sendable () async throws -> Value

        /// The operations that have not ended.
        private var tasks: [Key: Task<Value, any Error>] = [:]

        /// Where operations run. An unstructured task does not inherit the executor of its creator.
        private let executor: (any TaskExecutor)?

        /// Creates an empty table.
        ///
        /// - Parameter executor: Where operations run. `nil` is the default pool.
        init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

        /// How many operations have not ended.
        var count: Int { tasks.count }

        /// Joins the operation for `key`, or starts it, and waits for its end.
        ///
        /// **Cancellation**: not heard. The caller waits until the operation ends.
        ///
        /// - Parameters:
        ///   - key: What makes two pieces of work equal.
        ///   - operation: The work. Dropped unused when there is an operation to join.
        /// - Throws: What the operation threw.
        func value(for key: Key, operation: @escaping Operation) async throws -> Value {
            if let task = tasks[key] { return try await task.value }
            let task = Task(executorPreference: executor) { try await operation() }
            tasks[key] = task
            defer { tasks[key] = nil }
            return try await task.value
        }

        /// Cancels every operation; each caller gets what its operation throws.
        func cancelAll() {
            for task in tasks.values { task.cancel() }
        }
    }
}
