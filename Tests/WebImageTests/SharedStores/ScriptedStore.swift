// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// A shared store in memory, with leases that do not end by themselves. The test says how it fails.
final class ScriptedStore: SharedLeasing {
    struct State {
        var values: [SharedKey: [UInt8]] = [:]
        var words: [SharedKey: [UInt8]] = [:]
        var leases: [SharedKey: Int64] = [:]
        var lastToken: Int64 = 0
        var waiters: [SharedKey: [OneShot<Void>]] = [:]
        var isBroken = false
        var refusesFinish = false
        /// The ends of leases, in their order.
        var ends: [SharedLeaseEnd] = []
        var storedOrder: [SharedKey] = []
        /// The lifetimes of the stores, in their order.
        var lifetimes: [Duration] = []
        var prolonged: [SharedKey: Duration] = [:]
        var isEnded = false
    }

    let traits: SharedStoreTraits
    private let state = Mutex(State())
    private let gate: Gate?

    /// - Parameter gate: Holds every call.
    init(maximumOriginalByteCount: Int = 1 << 20, gate: Gate? = nil) {
        traits = SharedStoreTraits(
            name: "scripted", maximumOriginalByteCount: maximumOriginalByteCount, maximumFileByteCount: 1 << 20,
            readTimeout: .seconds(1),
            writeTimeout: .seconds(1))
        self.gate = gate
    }

    func change<T: Sendable>(_ body: @Sendable (inout State) -> T) -> T { state.withLock { body(&$0) } }
    var present: State { state.withLock { $0 } }

    /// - Parameter heeds: Whether a call that was cancelled ends.
    private func arrive(heeds: Bool = true) async throws {
        // As from a network, an answer never comes within the call.
        await Task.yield()
        await gate?.pass()
        if heeds { try Task.checkCancellation() }
        if present.isBroken { throw SharedStoreError(code: .unreachable, message: "broken") }
    }

    func bytes(for key: SharedKey) async throws -> [UInt8]? {
        try await arrive()
        return present.values[key]
    }

    func store(_ bytes: [UInt8], for key: SharedKey, lifetime: Duration) async throws {
        try await arrive()
        change {
            $0.values[key] = bytes
            $0.storedOrder.append(key)
            $0.lifetimes.append(lifetime)
        }
    }

    func prolong(_ key: SharedKey, lifetime: Duration) async throws {
        try await arrive()
        change { $0.prolonged[key] = lifetime }
    }

    func remove(_ key: SharedKey) async throws {
        try await arrive()
        change { $0.values[key] = nil }
    }

    func claim(_ key: SharedKey) async throws -> SharedClaim {
        while true {
            // A lease may be granted to a caller that has left.
            try await arrive(heeds: false)
            let place = OneShot<Void>()
            let claim = change { state -> SharedClaim? in
                if state.values[key] != nil { return .stored }
                if let word = state.words[key] { return .failed(word) }
                guard state.leases[key] != nil else {
                    state.lastToken += 1
                    state.leases[key] = state.lastToken
                    return .leads(SharedLease(key: key, token: state.lastToken))
                }
                state.waiters[key, default: []].append(place)
                return nil
            }
            if let claim { return claim }
            await place.wait(onCancel: ())
            try Task.checkCancellation()
        }
    }

    func finish(_ lease: SharedLease, with end: SharedLeaseEnd) async throws -> Bool {
        try await arrive()
        let (isDone, waiting) = change { state -> (Bool, [OneShot<Void>]) in
            guard state.leases[lease.key] == lease.token, !state.refusesFinish else { return (false, []) }
            state.leases[lease.key] = nil
            state.ends.append(end)
            switch end {
            case .stored(let bytes, _):
                state.values[lease.key] = bytes
                state.storedOrder.append(lease.key)
            case .failed(let word, _): state.words[lease.key] = word
            case .released: break
            }
            return (true, state.waiters.removeValue(forKey: lease.key) ?? [])
        }
        for place in waiting { place.resolve(()) }
        return isDone
    }

    func shutdown() async { change { $0.isEnded = true } }
}
