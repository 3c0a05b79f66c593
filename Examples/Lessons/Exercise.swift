// SPDX-License-Identifier: MIT
import TaskCoordination

/// The exercise: write a table that runs one operation per key, however many callers ask for it.
///
/// `swift run lessons --check` tries it under 300 seeds: first what the draft of the lessons can do, then what each
/// lesson adds. It stops at the first promise that is broken, and names the command that shows how. Begin with a
/// dictionary of tasks, and change the table whenever a check asks for more.
///
/// - An actor or a class with a lock, as you like. To lock, add `import Locks` and take a `Mutex`.
/// - Name the executor for each task that you start: `Task(executorPreference: executor) { … }`. A task that runs
///   elsewhere does not run in the order of the seed.
/// - Loops that ask again and again until something has happened never end here: wait for the event. One that does not
///   even `await` stops the check, and the program ends after 20 seconds.
/// - The program stops at a continuation that is resumed twice. The line that was printed last names the check.
actor Exercise: OncePerKey {
    private let executor: any TaskExecutor
    private let slots: Slots

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - executor: Where operations run.
    ///   - slots: How many run at once: `try await slots.withSlot { … }`. They are needed in the last check.
    init(executor: any TaskExecutor, slots: Slots) { (self.executor, self.slots) = (executor, slots) }

    /// Joins the operation for `key`, or starts it, and waits for its end.
    ///
    /// - Parameters:
    ///   - onProgress: Hears how far the operation has come, whichever caller has started it.
    ///   - operation: The work. It calls `report` from one task at a time.
    /// - Throws: What the operation threw; `CancellationError` when the calling task was cancelled.
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        // Your code in place of this line, with which each caller runs its own operation.
        try await operation(onProgress)
    }
}
