// SPDX-License-Identifier: MIT
import Synchronization
import TaskCoordination

/// A shared store with the deadlines of its calls, its trouble, and the writes that wait for it.
///
/// Writes are made behind the answer, in order of arrival, by at most as many tasks as the store takes writes at a time.
/// What waits is limited in bytes; beyond the limit a write is dropped and counted.
final class StoreLane: Sendable {
    enum Job: Sendable {
        case store(SharedKey, [UInt8])
        case remove([SharedKey], done: OneShot<Void>?)
        case finish(SharedLease, SharedLeaseEnd)

        var byteCount: Int {
            switch self {
            case .store(_, let bytes), .finish(_, .stored(let bytes, _)): bytes.count
            case .remove, .finish: 0
            }
        }
    }

    private struct State {
        var jobs = HeadQueue<Job>()
        var byteCount = 0
        var workers = 0
        var isOpen = true
        var counters = SharedCache.Counters()
        /// The kinds of trouble that were told since the last success.
        var told: Set<SharedStoreError.Code> = []
        var drains: [OneShot<Void>] = []
    }

    let store: any SharedStore
    let traits: SharedStoreTraits
    private let lifetime: Duration
    private let byteLimit: Int
    private let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?
    private let onTrouble: @Sendable (SharedStoreError) -> Void
    private let state = Mutex(State())

    init(_ store: any SharedStore, _ configuration: SharedCache.Configuration, executor: (any TaskExecutor)?) {
        self.store = store
        traits = store.traits
        lifetime = configuration.lifetime
        byteLimit = configuration.maximumPendingByteCount
        clock = configuration.clock
        onTrouble = configuration.onTrouble
        self.executor = executor
    }

    var counters: SharedCache.Counters { state.withLock { $0.counters } }

    func count(_ path: any WritableKeyPath<SharedCache.Counters, Int> & Sendable) {
        state.withLock { $0.counters[keyPath: path] += 1 }
    }

    /// Counts trouble, and tells it if it is the first of its kind since the store last answered.
    func note(_ error: any Error) {
        let error =
            error as? SharedStoreError
            ?? SharedStoreError(code: .unreachable, message: "The store \"\(traits.name)\" has thrown: \(error)")
        let isNews = state.withLock { state in
            state.counters.troubles += 1
            return state.told.insert(error.code).inserted
        }
        if isNews { onTrouble(error) }
    }

    // MARK: - Reading

    /// The bytes stored under `key`; trouble is a miss.
    ///
    /// - Throws: `CancellationError` only.
    func bytes(for key: SharedKey) async throws -> [UInt8]? {
        do {
            let found = try await within(traits.readTimeout) { [store] in try await store.bytes(for: key) }
            state.withLock { $0.told.removeAll() }
            return found
        } catch {
            try Task.checkCancellation()
            note(error)
            return nil
        }
    }

    /// Runs a call of the store until its time is over.
    ///
    /// - Parameter late: Called with a value that comes after the call was given up.
    /// - Throws: What the call throws, ``SharedStoreError/Code/timedOut``, `CancellationError`.
    func within<Value: Sendable>(
        _ limit: Duration, late: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        let limit = min(max(.zero, limit), .seconds(365 * 86_400))
        let answer = OneShot<Result<Value, any Error>>()
        // Neither is a child task: a store that does not heed its cancellation must not hold up the load. The first end
        // counts, and both are cancelled below.
        let work = Task(name: "ask \(traits.name)", executorPreference: executor) {
            do {
                let value = try await call()
                if !answer.resolve(.success(value)) { late(value) }
            } catch {
                answer.resolve(.failure(error))
            }
        }
        let alarm = Task(name: "deadline of \(traits.name)", executorPreference: executor) { [clock, traits] in
            guard (try? await clock.sleep(for: limit, tolerance: nil)) != nil else { return }
            let message = "The store \"\(traits.name)\" did not answer within \(limit); the load goes on without it."
            answer.resolve(.failure(SharedStoreError(code: .timedOut, message: message)))
        }
        let result = await answer.wait(onCancel: .failure(CancellationError()))
        alarm.cancel()
        work.cancel()
        return try result.get()
    }

    // MARK: - Writing

    /// Does a job later. A job without content, such as the end of a lease, is never refused for lack of room.
    func submit(_ job: Job) {
        let (isTaken, starts) = state.withLock { state -> (Bool, Bool) in
            let count = job.byteCount
            guard state.isOpen, count == 0 || state.byteCount == 0 || count <= max(0, byteLimit) - state.byteCount
            else {
                state.counters.droppedWrites += 1
                return (false, false)
            }
            state.jobs.append(job)
            state.byteCount += count
            guard state.workers < max(1, traits.writeWidth) else { return (true, false) }
            state.workers += 1
            return (true, true)
        }
        if !isTaken {
            if case .remove(_, let done?) = job { done.resolve(()) }
            note(SharedStoreError(code: .overloaded, message: "Too much waits to be written to \"\(traits.name)\"."))
        }
        guard starts else { return }
        // Unstructured: a write has no caller. It ends when nothing is left, and `drain` waits for it.
        Task(name: "write to \(traits.name)", executorPreference: executor, priority: .utility) { await self.work() }
    }

    private func work() async {
        while let job = nextJob() {
            do {
                if try await !perform(job) { count(\.refusedWrites) }
            } catch {
                count(\.droppedWrites)
                note(error)
            }
            if case .remove(_, let done?) = job { done.resolve(()) }
            state.withLock { $0.byteCount -= job.byteCount }
        }
    }

    private func nextJob() -> Job? {
        let (job, drains) = state.withLock { state -> (Job?, [OneShot<Void>]) in
            if let job = state.jobs.popFirst() { return (job, []) }
            state.workers -= 1
            guard state.workers == 0 else { return (nil, []) }
            defer { state.drains = [] }
            return (nil, state.drains)
        }
        for drain in drains { drain.resolve(()) }
        return job
    }

    /// - Returns: `false` when a lease had ended.
    private func perform(_ job: Job) async throws -> Bool {
        try await within(traits.writeTimeout) { [store, lifetime] in
            switch job {
            case .store(let key, let bytes): try await store.store(bytes, for: key, lifetime: lifetime)
            case .remove(let keys, _): for key in keys { try await store.remove(key) }
            case .finish(let lease, let end):
                guard let store = store as? any SharedLeasing else { return true }
                return try await store.finish(lease, with: end)
            }
            return true
        }
    }

    // MARK: - The end

    /// The writes that wait or are being made.
    var pendingCount: Int { state.withLock { $0.jobs.count + $0.workers } }

    /// Refuses further writes, and returns when the others are made.
    func drain() async {
        let place = OneShot<Void>()
        let isIdle = state.withLock { state in
            state.isOpen = false
            if state.workers > 0 { state.drains.append(place) }
            return state.workers == 0
        }
        if !isIdle { await place.wait(onCancel: ()) }
    }
}
