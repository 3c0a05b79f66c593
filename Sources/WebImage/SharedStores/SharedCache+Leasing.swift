// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

// MARK: - One process works, the others wait

extension SharedCache {
    /// What a load does about an entry that is not on this machine.
    enum Verdict {
        /// This process makes the entry.
        case leads(LeaseHold)
        /// The load goes on: the entry is there, or this process makes it already, or no store can be asked.
        case goesOn
    }

    /// The end of a lease.
    enum LeaseEnd {
        case stored([UInt8])
        /// The entry is made and not shared.
        case alone
        case failed(SharedFailure, isLasting: Bool)
        case released
    }

    private var leasing: (lane: StoreLane, store: any SharedLeasing)? {
        for lane in lanes {
            if let store = lane.store as? any SharedLeasing { return (lane, store) }
        }
        return nil
    }

    /// Asks for the right to make an entry, and waits while another process makes it.
    ///
    /// - Parameters:
    ///   - key: The entry. One that the local store has is not asked for.
    ///   - url: The address of the load, for its error.
    ///   - hearsFailures: Whether the failure of another process is this one's.
    /// - Throws: The failure of another process; `CancellationError`.
    func claim(_ key: CacheKey, for url: URL, hearsFailures: Bool) async throws -> Verdict {
        guard let (lane, store) = leasing, key.isOriginal || key.isFile else { return .goesOn }
        if let local, try await local.contains(key) { return .goesOn }
        while true {
            try Task.checkCancellation()
            let word: LeaseTable.Word
            switch table.enter(key) {
            case .isLed: return .goesOn
            case .waits(let place): word = await place.wait(onCancel: .askAgain)
            case .asks:
                let answer: SharedClaim
                do {
                    answer = try await lane.claim { try await store.claim(SharedKey(key)) }
                } catch {
                    table.leave(key, error is CancellationError ? .askAgain : .goOn)
                    try Task.checkCancellation()
                    lane.note(error)
                    return .goesOn
                }
                if case .leads(let lease) = answer {
                    lane.count(\.leases)
                    let hold = LeaseHold(key, lease, in: self)
                    table.enter(hold)
                    return .leads(hold)
                }
                lane.count(\.joins)
                word = Self.word(answer)
                table.leave(key, word)
            }
            switch word {
            case .goOn: return .goesOn
            case .askAgain: continue
            case .failed(let failure):
                guard hearsFailures, let error = failure.error(url) else { return .goesOn }
                throw error
            }
        }
    }

    private static func word(_ answer: SharedClaim) -> LeaseTable.Word {
        guard case .failed(let bytes) = answer, let failure = SharedFailure(bytes), failure.code != nil else {
            return .goOn
        }
        return .failed(failure)
    }

    /// Ends a lease, behind the answer. Does nothing when it has ended.
    ///
    /// - Parameter token: The lease; `nil` for whichever this process holds.
    func end(_ key: CacheKey, token: Int64? = nil, with end: LeaseEnd) {
        guard let (lane, _) = leasing, let lease = table.take(key, token: token) else { return }
        let word: SharedLeaseEnd
        switch end {
        case .stored(let bytes): word = .stored(bytes, lifetime: configuration.lifetime)
        case .alone: word = .failed(SharedFailure.alone.encoded, lifetime: SharedFailure.aloneLifetime)
        case .failed(let failure, let isLasting):
            let lifetime = isLasting ? configuration.failureLifetime : SharedFailure.passingLifetime
            word = .failed(failure.encoded, lifetime: max(.milliseconds(1), lifetime))
        case .released: word = .released
        }
        lane.submit(.finish(lease, word))
    }

    /// Gives all leases back, so that other processes take over.
    func endLeases() {
        guard let (lane, _) = leasing else { return }
        for lease in table.takeAll() { lane.submit(.finish(lease, .released)) }
    }
}

// MARK: - In a load

extension Load {
    /// Whether this load takes part in the work of other processes.
    private var sharesWork: Bool {
        allowsDisk && (request.cachePolicy == .cacheFirst || key.isRuled)
            && (request.retriesFailed || !pipeline.failures.contains(key))
    }

    /// Runs the stages when this process makes the file and its original, or when others have made them.
    ///
    /// - Parameters:
    ///   - file: The name of the file; `nil` when a picture is loaded, or the original itself.
    ///   - stages: Look for what other processes have made, and make what is missing.
    nonisolated(nonsending) func sharing<Value: Sendable>(
        _ file: CacheKey?, in cache: SharedCache, _ stages: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        guard sharesWork, request.cacheReads.original.union(request.cacheReads.file).contains(.disk) else {
            return try await stages()
        }
        guard let file else { return try await leading(request.originalKey, in: cache, stages) }
        return try await leading(file, in: cache, ifLeading: request.originalKey, stages)
    }

    private nonisolated(nonsending) func leading<Value: Sendable>(
        _ name: CacheKey, in cache: SharedCache, ifLeading next: CacheKey? = nil,
        _ stages: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        let verdict = try await cache.claim(name, for: request.url, hearsFailures: !request.retriesFailed)
        guard case .leads(let hold) = verdict else { return try await stages() }
        defer { withExtendedLifetime(hold) {} }
        do {
            guard let next else { return try await stages() }
            return try await leading(next, in: cache, stages)
        } catch {
            hold.fail(
                error, isCancelled: Task.isCancelled || error is CancellationError,
                isLasting: (error as? ImageLoadError)?.isLasting == true)
            throw error
        }
    }

    /// What makes the entry of `name`, and hands it over to those that wait for it.
    ///
    /// An original is stored before the files that are made of it, because those that wait look for both.
    func handingOver(_ name: CacheKey, _ making: @escaping WriteBehind.Making) -> WriteBehind.Making {
        guard let hold = caches.sharing?.table.hold(of: name) else { return making }
        let (writes, original) = (caches.writes, request.originalKey)
        return {
            if name != original { await writes?.settle(original) }
            let entry = try await making()
            hold.handOver()
            return entry
        }
    }
}
