// SPDX-License-Identifier: MIT
/// Starts loads, cancels them when all have reached the transport, and waits until nothing is left of them.
func cancelWhenStarted<Answer: Sendable>(
    _ count: Int, on transport: SilentTransport, _ load: @escaping @Sendable (Int) async throws -> Answer
) async throws {
    // Unstructured because each is cancelled on its own; all are awaited here.
    let loads = (0..<count).map { number in Task { @concurrent in try await load(number) } }
    await transport.allStarted()
    for load in loads { load.cancel() }
    for load in loads {
        if case .success = await load.result { throw Failure("a cancelled load got an answer") }
    }
    await transport.allEnded()
}
