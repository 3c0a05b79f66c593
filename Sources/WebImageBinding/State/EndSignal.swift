// SPDX-License-Identifier: MIT
/// A value that is set once and that any number of tasks of the main actor await.
@MainActor
final class EndSignal<Value: Sendable> {
    private(set) var value: Value?
    private var waiting: [Int: AsyncStream<Value>.Continuation] = [:]
    private var tickets = 0

    nonisolated init() {}

    /// The number of waiting tasks. For tests.
    var waiterCount: Int { waiting.count }

    /// Sets the value and resumes all waiting tasks.
    ///
    /// Later calls change nothing.
    func resolve(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        let woken = waiting
        waiting = [:]
        for continuation in woken.values {
            continuation.yield(value)
            continuation.finish()
        }
    }

    /// Waits for the value.
    ///
    /// **Cancellation**: throws at once.
    func wait() async throws(CancellationError) -> Value {
        if let value { return value }
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        tickets += 1
        let ticket = tickets
        waiting[ticket] = continuation
        defer { waiting[ticket] = nil }
        for await value in stream { return value }
        throw CancellationError()
    }
}
