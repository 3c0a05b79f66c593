/// A value that comes once and is awaited by any number of tasks of the main actor.
@MainActor
final class EndSignal<Value: Sendable> {
    private(set) var value: Value?
    private var waiting: [Int: AsyncStream<Value>.Continuation] = [:]
    private var tickets = 0

    nonisolated init() {}

    /// How many tasks wait. Told to tests.
    var waiterCount: Int { waiting.count }

    /// Gives the value to everybody who waits.
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
