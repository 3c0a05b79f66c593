/// Starts a task for each number below `count`, all before any is awaited, and waits for all of them.
///
/// Unstructured tasks, because a group takes time that grows with the square of its children when they do not end in the
/// order in which they began, and that would be all one sees. Every one is awaited here; none outlives the call, but that
/// one fails.
func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let tasks = (0..<count).map { number in Task { @concurrent in try await body(number) } }
    for task in tasks { try await task.value }
}
