// SPDX-License-Identifier: MIT
import Locks
import PlatformBasics
import TaskCoordination

/// The refreshes that run: validations of pictures that were served although they were stale.
///
/// A refresh belongs to the manager, because the caller that caused it has its picture and may leave. There is one for
/// each original. The shutdown of the manager cancels them: no caller waits for them, so they must not prolong it.
final class Refreshes: Sendable {
    /// The original that is refreshed.
    struct Key: Hashable, Sendable {
        private let transfer: RequestIdentity
        private let original: CacheKey
        private let caches: String?

        /// What the key keeps on the heap, in bytes.
        fileprivate var heapByteCount: Int { transfer.heapByteCount + HeapSize.of(original.rawValue) }

        init(_ request: ImageRequest) {
            transfer = RequestIdentity(request)
            original = request.originalKey
            caches = request.caches?.identity
        }
    }

    private struct State {
        var tasks: [Key: Task<Void, Never>] = [:]
        var pauses = RefreshPauses<Key>(byteLimit: Refreshes.byteLimit)
        var isOpen = true
    }

    /// The most bytes of originals whose refreshes pause.
    private static let byteLimit = 1 << 20

    private let state = Mutex(State())

    /// The number of refreshes that run.
    var count: Int { state.withLock { $0.tasks.count } }

    /// The bytes of the originals whose refreshes pause.
    var byteCount: Int { state.withLock { $0.pauses.failures.byteCount } }

    /// Gives memory back, and takes no more than a share until the pressure ends.
    func respond(to pressure: MemoryPressure) {
        state.withLock { $0.pauses.failures.byteLimit = Self.byteLimit / pressure.divisor }
    }

    /// Starts a refresh, unless one for this original runs, one has failed a short while ago, or the manager ends.
    ///
    /// - Parameters:
    ///   - executor: Where it runs; `nil` for the global pool.
    ///   - now: The time.
    ///   - body: Returns whether it has failed.
    /// - Returns: Whether it was started.
    func start(
        _ key: Key, on executor: (any TaskExecutor)?, now: @escaping @Sendable () -> Date,
        _ body: @escaping @concurrent @Sendable () async -> Bool
    ) -> Bool {
        state.withLock { state in
            guard state.isOpen, state.tasks[key] == nil else { return false }
            guard !state.pauses.isPaused(key, at: now()) else { return false }
            // Detached, so that it belongs to no transfer whose code has asked for the picture. It waits for the lock
            // before it leaves the table, so it is in the table by then.
            state.tasks[key] = Task.detached(name: "refresh", executorPreference: executor, priority: .utility) {
                let hasFailed = await body()
                self.state.withLock { state in
                    state.tasks[key] = nil
                    state.pauses.note(key, hasFailed: hasFailed, at: now(), heapByteCount: key.heapByteCount)
                }
            }
            return true
        }
    }

    /// Cancels every refresh.
    func cancelAll() {
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    /// Refuses new refreshes, and cancels those that run.
    func close() {
        state.withLock { $0.isOpen = false }
        cancelAll()
    }

    /// Waits until no refresh runs.
    func drain() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}
