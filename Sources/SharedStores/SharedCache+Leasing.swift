// SPDX-License-Identifier: MIT
package import PlatformBasics
import TaskCoordination
package import WebImage

// MARK: - One process works, the others wait

extension SharedCache: EntryLeasing {
    /// The end of a lease.
    enum LeaseEnd {
        case stored([UInt8], lifetime: Duration)
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
    /// - Returns: The lease of the entry that this process makes; `nil` when the load goes on.
    /// - Throws: The failure of another process; `CancellationError`.
    package func claim(_ key: CacheKey, for url: URL, hearsFailures: Bool) async throws -> (any EntryLease)? {
        guard let (lane, store) = leasing, key.isOriginal || key.isFile else { return nil }
        if let local, try await local.contains(key) { return nil }
        while true {
            try Task.checkCancellation()
            let word: LeaseTable.Word
            switch table.enter(key) {
            case .isLed: return nil
            case .waits(let place): word = await place.wait(onCancel: .askAgain)
            case .asks:
                let answer: SharedClaim
                do {
                    answer = try await lane.claim { try await store.claim(SharedKey(key)) }
                } catch {
                    table.leave(key, error is CancellationError ? .askAgain : .goOn)
                    try Task.checkCancellation()
                    lane.note(error)
                    return nil
                }
                if case .leads(let lease) = answer {
                    lane.count(\.leases)
                    let hold = LeaseHold(key, lease, in: self)
                    table.enter(hold)
                    return hold
                }
                lane.count(\.joins)
                word = Self.word(answer)
                table.leave(key, word)
            }
            switch word {
            case .goOn: return nil
            case .askAgain: continue
            case .failed(let failure):
                guard hearsFailures, let error = failure.error(url) else { return nil }
                throw error
            }
        }
    }

    /// What the load of this process that makes the entry holds.
    package func lease(of key: CacheKey) -> (any EntryLease)? { table.hold(of: key) }

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
        case .stored(let bytes, let lifetime): word = .stored(bytes, lifetime: lifetime)
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
