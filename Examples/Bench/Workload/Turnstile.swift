// SPDX-License-Identifier: MIT
import Synchronization

/// Opens when a number of tasks have arrived.
final class Turnstile: Sendable {
    private let missing: Atomic<Int>
    private let arrivals: AsyncStream<Never>.Continuation
    private let opening: Task<Void, Never>

    init(_ count: Int) {
        missing = Atomic(count)
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        arrivals = continuation
        // Unstructured because any number of tasks wait for its end. The last arrival ends it.
        opening = Task { for await _ in stream {} }
    }

    func arrive() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { arrivals.finish() }
    }

    func opened() async { await opening.value }
}
