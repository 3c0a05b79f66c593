import Synchronization

/// The loads that have failed lately. While none is remembered, a look-up costs one atomic read.
final class RecentFailures: Sendable {
    private let memory: Mutex<FailureMemory<LoadKey, ContinuousClock.Instant>>
    private let isEmpty = Atomic(true)
    private let lifetime: Duration

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of failures remembered.
    ///   - lifetime: How long each is remembered.
    init(capacity: Int, lifetime: Duration) {
        memory = Mutex(FailureMemory(capacity: capacity))
        self.lifetime = lifetime
    }

    /// The numbers of remembered failures and of their places. For tests.
    var counts: (entries: Int, places: Int) { memory.withLock { ($0.count, $0.placeCount) } }

    func contains(_ key: LoadKey) -> Bool { failure(for: key) != nil }

    /// Throws the error of the last load of `key`, if it is remembered.
    ///
    /// Not inlined: an error would enlarge the frame of every load.
    @inline(never) func check(_ key: LoadKey) throws {
        if let failure = failure(for: key) { throw failure.repeated() }
    }

    /// Remembers an error if it is lasting.
    func record(_ error: any Error, for key: LoadKey) {
        guard let error = error as? ImageLoadError, error.isLasting, lifetime > .zero else { return }
        change { $0.record(error, for: key, until: .now.advanced(by: lifetime)) }
    }

    func forget(_ key: LoadKey) { change { $0.forget(key) } }

    func forgetAll() { change { $0.forgetAll() } }

    private func failure(for key: LoadKey) -> ImageLoadError? {
        if isEmpty.load(ordering: .relaxed) { return nil }
        return change { $0.failure(for: key, now: .now) }
    }

    private func change<T: Sendable>(
        _ body: (inout FailureMemory<LoadKey, ContinuousClock.Instant>) -> T
    ) -> T {
        memory.withLock { memory in
            // Within the lock, so that the flag matches the last change.
            defer { isEmpty.store(memory.count == 0, ordering: .relaxed) }
            return body(&memory)
        }
    }
}
