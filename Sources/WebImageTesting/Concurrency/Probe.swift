// SPDX-License-Identifier: MIT
internal import TaskCoordination

/// A task whose outcome a test reads without `await`.
///
/// On a ``SeededExecutor`` the whole test is synchronous: start probes, drain, check.
public final class Probe<Value: Sendable>: Sendable {
    private let task: Task<Void, Never>
    private let outcome = Watched<Result<Value, any Error>?>(nil)

    /// Creates a probe and starts its task.
    ///
    /// - Parameters:
    ///   - executor: Where it runs. `nil` is the default pool.
    ///   - priority: Its priority. `nil` is the current one.
    ///   - body: What it does.
    public init(
        on executor: (any TaskExecutor)? = nil, priority: TaskPriority? = nil,
        _ body: @escaping @concurrent @Sendable () async throws -> Value
    ) {
        task = Task(executorPreference: executor, priority: priority) { [outcome] in
            do {
                let value = try await body()
                outcome.change { $0 = .success(value) }
            } catch {
                outcome.change { $0 = .failure(error) }
            }
        }
    }

    /// How the task has ended.
    ///
    /// `nil` while it has not.
    public var result: Result<Value, any Error>? { outcome.value }

    /// Whether the task has not ended.
    public var isRunning: Bool { result == nil }

    /// The value with which the task has ended, if it has.
    public var value: Value? { try? result?.get() }

    /// The error with which the task has ended, if it has.
    public var error: (any Error)? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// Whether the task has ended with `CancellationError`.
    public var wasCancelled: Bool { error is CancellationError }

    /// Cancels the task.
    public func cancel() { task.cancel() }

    /// Raises the task's priority.
    ///
    /// A lower one than the present is ignored.
    public func escalate(to priority: TaskPriority) { task.escalatePriority(to: priority) }

    /// Waits for the end of the task.
    ///
    /// **Priority**: the task rises to the priority of the caller.
    ///
    /// - Throws: The error of the task.
    public func finish() async throws -> Value {
        await task.value
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}
