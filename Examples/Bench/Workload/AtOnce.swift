// SPDX-License-Identifier: MIT
/// Starts a task for each number below `count`, all before any is awaited, and waits for all of them.
///
/// Unstructured tasks: the time of a group grows with the square of its children when they do not end in the order of
/// their start, and would hide the figure. All tasks are awaited here; none outlives the call, unless one fails.
func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let tasks = (0..<count).map { number in Task { @concurrent in try await body(number) } }
    for task in tasks { try await task.value }
}
