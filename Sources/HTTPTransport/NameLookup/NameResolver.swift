import Synchronization

/// Looks names up on threads of its own: each name once at a time, and a bounded number of names at once.
///
/// The system's look-up blocks its thread and cannot be ended. libcurl would start one more thread for every transfer
/// and leave it behind when the transfer ends; here a name that is never answered costs one thread for as long as the
/// system tries, and others wait only when as many names as the limit are stuck.
final class NameResolver: Sendable {
    /// Why a name leads nowhere, in words.
    struct Failure: Error {
        let message: String
    }

    /// Blocks until the addresses of a name are there, in the order in which to try them; never an empty list.
    typealias LookUp = @Sendable (_ name: String) -> Result<[IPAddress], Failure>

    private struct State {
        var waiting: [String] = []
        var running: Set<String> = []
    }

    private let limit: Int
    private let lookUp: LookUp
    private let deliver: @Sendable (_ name: String, Result<[IPAddress], Failure>) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Most look-ups, and threads, at once; at least 1.
    ///   - deliver: Called once for every ``start(_:)`` that was not abandoned, on any thread.
    init(
        limit: Int, lookUp: @escaping LookUp,
        deliver: @escaping @Sendable (_ name: String, Result<[IPAddress], Failure>) -> Void
    ) {
        self.limit = max(1, limit)
        self.lookUp = lookUp
        self.deliver = deliver
    }

    /// Names that are being looked up, and names that wait for a thread.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.running.count, $0.waiting.count) } }

    /// Asks for a name; nothing happens when the same name is asked for already.
    func start(_ name: String) {
        let startsThread = state.withLock { state in
            guard !state.running.contains(name), !state.waiting.contains(name) else { return false }
            guard state.running.count < limit else {
                state.waiting.append(name)
                return false
            }
            state.running.insert(name)
            return true
        }
        guard startsThread else { return }
        guard let thread = LoopThread(name: "http-lookup", { self.run(name) }) else {
            state.withLock { _ = $0.running.remove(name) }
            return deliver(name, .failure(Failure(message: "The process has no thread left to look it up.")))
        }
        thread.detach()
    }

    /// No transfer waits for the name any more.
    ///
    /// A look-up that has begun goes on; its answer is delivered all the same.
    func abandon(_ name: String) {
        state.withLock { $0.waiting.removeAll { $0 == name } }
    }

    /// Looks up names until none waits.
    private func run(_ first: String) {
        var next: String? = first
        while let name = next {
            let result = lookUp(name)
            next = state.withLock { state in
                state.running.remove(name)
                guard !state.waiting.isEmpty else { return nil }
                let next = state.waiting.removeFirst()
                state.running.insert(next)
                return next
            }
            // After the name was taken off the table: a transfer that asks from here on starts a look-up of its own.
            deliver(name, result)
        }
    }
}
