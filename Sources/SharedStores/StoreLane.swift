// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// A shared store with the deadlines of its calls, its trouble, and the writes that wait for it.
///
/// Writes are made behind the answer, in order of arrival, by at most as many tasks as the store takes writes at a
/// time. What waits is limited in bytes; beyond the limit a write is dropped and counted. Removals have 4 MiB more.
final class StoreLane: Sendable {
    enum Job: Sendable {
        case store(SharedKey, [UInt8], lifetime: Duration)
        case prolong(SharedKey, lifetime: Duration)
        case remove([SharedKey], done: OneShot<Void>?)
        case finish(SharedLease, SharedLeaseEnd)

        /// What the job keeps: its key and its place in the queue, and its content.
        var byteCount: Int {
            switch self {
            case .store(_, let bytes, _), .finish(_, .stored(let bytes, _)), .finish(_, .failed(let bytes, _)):
                Self.overhead + bytes.count
            case .remove(let keys, _): Self.overhead * (1 + keys.count)
            case .prolong, .finish(_, .released): Self.overhead
            }
        }

        private static let overhead = 256

        /// What may wait, this job included. Of the ends of leases there are no more than leases.
        func limit(_ byteLimit: Int) -> Int {
            switch self {
            case .store, .prolong, .finish(_, .stored): byteLimit
            case .remove: byteLimit + (4 << 20)
            case .finish: .max
            }
        }
    }

    private struct State {
        var jobs = HeadQueue<Job>()
        var byteCount = 0
        var workers = 0
        var isOpen = true
        var isEnded = false
        /// What ends each call of the store that is under way.
        var calls: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// How long a claim may wait.
        var patience: Duration
        var counters = SharedCache.Counters()
        /// The kinds of trouble that were told since the last success.
        var told: Set<SharedStoreError.Code> = []
        var drains: [OneShot<Void>] = []

        var isIdle: Bool { workers == 0 && (!isEnded || calls.isEmpty) }

        mutating func takeDrains() -> [OneShot<Void>] {
            guard isIdle else { return [] }
            defer { drains = [] }
            return drains
        }
    }

    let store: any SharedStore
    let traits: SharedStoreTraits
    private let configuration: SharedCache.Configuration
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>

    init(_ store: any SharedStore, _ configuration: SharedCache.Configuration, executor: (any TaskExecutor)?) {
        self.store = store
        traits = store.traits
        self.configuration = configuration
        self.executor = executor
        state = Mutex(State(patience: configuration.maximumWait))
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
            return state.told.insert(error.code).inserted && !state.isEnded
        }
        if isNews { configuration.onTrouble(error) }
    }

    // MARK: - Reading

    /// What a store says about a key.
    enum Answer: Sendable {
        case value([UInt8])
        case nothing
        case trouble
    }

    /// What is stored under `key`. Trouble is counted and told.
    ///
    /// - Throws: `CancellationError` only.
    func answer(for key: SharedKey) async throws -> Answer {
        do {
            let found = try await within(traits.readTimeout) { [store] in try await store.bytes(for: key) }
            state.withLock { $0.told.removeAll() }
            return found.map { .value($0) } ?? .nothing
        } catch {
            try Task.checkCancellation()
            note(error)
            return .trouble
        }
    }

    /// Runs a call of the store until its time is over.
    ///
    /// - Parameter discard: Called with a value that comes after the call was given up.
    /// - Throws: What the call throws, ``SharedStoreError/Code/timedOut``, `CancellationError`.
    func within<Value: Sendable>(
        _ limit: Duration, discard: @escaping @Sendable (Value) -> Void = { _ in },
        _ call: @escaping @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        let answer = OneShot<Result<Value, any Error>>()
        let id = ObjectIdentifier(answer)
        let isOpen = state.withLock { state in
            if !state.isEnded { state.calls[id] = { answer.resolve(.failure(Self.ended)) } }
            return !state.isEnded
        }
        guard isOpen else { throw Self.ended }
        let late = SharedStoreError(
            code: .timedOut,
            message: "The store \"\(traits.name)\" did not answer within \(limit); the load goes on without it.")
        // A store that does not heed its cancellation must not hold up the load.
        return try await answer.wait(
            for: "ask \(traits.name)", on: executor, onCancel: .failure(CancellationError())
        ) { [clock = configuration.clock] in
            async let _ = answer.resolve(.failure(late), after: limit, on: clock)
            do {
                let value = try await call()
                if !answer.resolve(.success(value)) { discard(value) }
            } catch {
                answer.resolve(.failure(error))
            }
            self.state.withLock { state in
                state.calls[id] = nil
                return state.takeDrains()
            }.resume()
        }.get()
    }

    /// Asks for a lease, and waits while another process has it.
    ///
    /// A wait in vain says that the store knows of a process that makes nothing, or lies: later ones have an eighth of
    /// its time, down to a quarter of a second, until a claim is answered.
    func claim(_ body: @escaping @concurrent @Sendable () async throws -> SharedClaim) async throws -> SharedClaim {
        let limit = state.withLock { $0.patience }
        do {
            let claim = try await within(
                limit,
                discard: { claim in
                    // Granted to a load that has left.
                    if case .leads(let lease) = claim { self.submit(.finish(lease, .released)) }
                }, body)
            state.withLock { $0.patience = configuration.maximumWait }
            return claim
        } catch let error as SharedStoreError where error.code == .timedOut {
            state.withLock { $0.patience = min($0.patience, max(limit / 8, .milliseconds(250))) }
            throw error
        }
    }

    // MARK: - Writing

    /// Does a job later, if there is room for it.
    func submit(_ job: Job) {
        let byteLimit = min(max(0, configuration.maximumPendingByteCount), .max / 2)
        let (isTaken, isOpen, starts) = state.withLock { state -> (Bool, Bool, Bool) in
            let count = job.byteCount
            guard state.isOpen, state.byteCount == 0 || count <= job.limit(byteLimit) - state.byteCount else {
                state.counters.droppedWrites += 1
                return (false, state.isOpen, false)
            }
            state.jobs.append(job)
            state.byteCount += count
            guard state.workers < max(1, traits.writeWidth) else { return (true, true, false) }
            state.workers += 1
            return (true, true, true)
        }
        if !isTaken {
            if case .remove(_, let done?) = job { done.resolve(()) }
            // What comes after the end is no trouble of the store.
            guard isOpen else { return }
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
            return (nil, state.takeDrains())
        }
        drains.resume()
        return job
    }

    /// - Returns: `false` when a lease had ended.
    private func perform(_ job: Job) async throws -> Bool {
        try await within(traits.writeTimeout) { [store] in
            switch job {
            case .store(let key, let bytes, let lifetime): try await store.store(bytes, for: key, lifetime: lifetime)
            case .prolong(let key, let lifetime): try await store.prolong(key, lifetime: lifetime)
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

    /// The calls of the store that have not returned.
    var callCount: Int { state.withLock { $0.calls.count } }

    /// Refuses further writes, and returns when the others are made; after ``abandon()``, when no call is under way.
    func drain() async {
        let place = OneShot<Void>()
        let isIdle = state.withLock { state in
            state.isOpen = false
            if !state.isIdle { state.drains.append(place) }
            return state.isIdle
        }
        if !isIdle { await place.wait(onCancel: ()) }
    }

    /// Drops the writes that wait, cancels the calls under way, and refuses further ones.
    func abandon() {
        var (jobs, calls) = state.withLock { state in
            (state.isOpen, state.isEnded) = (false, true)
            defer { state.jobs = HeadQueue() }
            state.counters.droppedWrites += state.jobs.count
            return (state.jobs, Array(state.calls.values))
        }
        while let job = jobs.popFirst() {
            if case .remove(_, let done?) = job { done.resolve(()) }
        }
        for end in calls { end() }
    }

    private static var ended: SharedStoreError {
        SharedStoreError(code: .shutDown, message: "The cache was shut down.")
    }
}
