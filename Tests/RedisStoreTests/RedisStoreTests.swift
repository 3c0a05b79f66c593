// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import SharedStores
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// A store in front of a real server.
@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisStoreTests {
    private let key = SharedKey(CacheKey("https://images.example/1.png"))

    private func store(
        _ server: RedisServer, _ change: (inout RedisStore.Configuration) -> Void = { _ in }
    ) async throws -> RedisStore {
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: server.path)))
        configuration.commandTimeout = .seconds(5)  // a machine that is busy is no failure
        configuration.connectTimeout = .seconds(5)
        configuration.retryDelay = .milliseconds(5)...(.milliseconds(20))
        change(&configuration)
        let store = RedisStore(configuration)
        await expect(store.connected(within: .seconds(30)))
        return store
    }

    /// Connections for commands of the test. The caller stops its loop.
    private func link(_ server: RedisServer) async -> RedisLink {
        let link = RedisLink(RedisStore.Configuration(RedisAddress(.unix(path: server.path))))
        link.start()
        while (try? await link.reply(to: RedisCommand(["PING"]))) == nil { await Task.yield() }
        return link
    }

    private func millisecondsLeft(_ link: RedisLink, _ name: String) async throws -> Int64 {
        guard case .integer(let left) = try await link.reply(to: RedisCommand(["PTTL", name])) else { return 0 }
        return left
    }

    /// Runs calls of the store until the time is over.
    private func keepBusy(_ store: RedisStore, for time: Duration) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end { _ = try await store.bytes(for: key) }
    }

    @Test func `another process finds what is stored, until it is removed`() async throws {
        let server = try RedisServer(["--requirepass", "a b%"])
        let login: (inout RedisStore.Configuration) -> Void = {
            $0.address.password = "a b%"
            $0.address.database = 3
        }
        let (one, other) = (try await store(server, login), try await store(server, login))
        try await expectNil(one.bytes(for: key))
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await one.store(bytes, for: key, lifetime: .seconds(60))
        try await expectEqual(other.bytes(for: key), bytes)
        try await other.store([], for: key, lifetime: .seconds(60))
        try await expectEqual(one.bytes(for: key), [])
        try await one.remove(key)
        try await expectNil(other.bytes(for: key))
        let elsewhere = try await store(server) { $0.address.password = "a b%" }
        try await other.store([1], for: key, lifetime: .seconds(60))
        try await expectNil(elsewhere.bytes(for: key), "another database")
        let strange = try await store(server) {
            login(&$0)
            $0.prefix = "other"
        }
        try await expectNil(strange.bytes(for: key), "another prefix")
    }

    @Test func `a life is prolonged and never shortened, and any duration is one`() async throws {
        let server = try RedisServer()
        let (store, link) = (try await store(server), await link(server))
        defer { link.loop.stop() }
        let name = "swi1:{\(key)}"
        try await store.prolong(key, lifetime: .seconds(60))
        try await expectNil(store.bytes(for: key), "nothing is there to prolong")
        try await store.store([1], for: key, lifetime: .seconds(60))
        try await store.prolong(key, lifetime: .seconds(7_200))
        try await expect(3_600_000...7_200_000 ~= millisecondsLeft(link, name))
        for shorter in [Duration.seconds(1), .zero, .seconds(-1e20)] {
            try await store.prolong(key, lifetime: shorter)
            try await expect(millisecondsLeft(link, name), >, 3_600_000)
        }
        for _ in 0..<2 {
            try await store.prolong(key, lifetime: .seconds(1e20))
            try await expect(millisecondsLeft(link, name), >, 9_000_000_000_000)
            try await store.store([2], for: key, lifetime: .seconds(1e20))
        }
        try await expectEqual(store.bytes(for: key), [2])
        try await store.store([3], for: key, lifetime: .zero)
    }

    @Test func `nothing stays on the server for ever`() async throws {
        let server = try RedisServer()
        let (store, link) = (try await store(server), await link(server))
        defer { link.loop.stop() }
        let ends: [SharedLeaseEnd] = [
            .stored([1], lifetime: .seconds(60)), .failed([2], lifetime: .seconds(60)), .released,
        ]
        for (number, end) in ends.enumerated() {
            let key = SharedKey(CacheKey("https://images.example/\(number).png"))
            guard case .leads(let lease) = try await store.claim(key) else { throw CancellationError() }
            try await expect(store.finish(lease, with: end))
        }
        guard case .list(let names) = try await link.reply(to: RedisCommand(["KEYS", "*"])) else {
            throw CancellationError()
        }
        expectEqual(names.count, 5, "three tokens, an entry and a word")
        for name in names.compactMap(\.string) {
            try await expect(millisecondsLeft(link, name), >, 0, "\(name) has no end")
        }
    }

    @Test func `a store says what it takes`() {
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: "/nowhere")))
        (configuration.maximumOriginalByteCount, configuration.maximumFileByteCount) = (1, 2)
        configuration.commandTimeout = .seconds(3)
        let traits = RedisStore(configuration).traits
        expectEqual([traits.maximumOriginalByteCount, traits.maximumFileByteCount], [1, 2])
        expectEqual([traits.readTimeout, traits.writeTimeout], [.seconds(6), .seconds(12)])
    }

    @Test func `a wrong password is named, and no load waits for it`() async throws {
        let server = try RedisServer(["--requirepass", "right"])
        _ = try await store(server) { $0.address.password = "right" }
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: server.path), password: "wrong"))
        configuration.retryDelay = .milliseconds(1)...(.milliseconds(2))
        let store = RedisStore(configuration)
        var code: SharedStoreError.Code?
        while code != .refused {
            do { _ = try await store.bytes(for: key) } catch { code = (error as? SharedStoreError)?.code }
        }
    }

    @Test func `one of many claims leads, and the others hear when the entry is stored`() async throws {
        let server = try RedisServer()
        // Nothing but the word of the one that leads ends a wait.
        let lasting: (inout RedisStore.Configuration) -> Void = { $0.leaseTime = .seconds(3_600) }
        let stores = [
            try await store(server, lasting), try await store(server, lasting), try await store(server, lasting),
        ]
        let key = key
        let claims = (0..<30).map { number in Probe { try await stores[number % 3].claim(key) } }
        var leader: (SharedLease, RedisStore)?
        while leader == nil {
            await Task.yield()
            for (number, claim) in claims.enumerated() {
                if case .leads(let lease)? = claim.value { leader = (lease, stores[number % 3]) }
            }
        }
        let (lease, own) = try required(leader)
        expectEqual(claims.count { !$0.isRunning }, 1)
        try await expect(own.finish(lease, with: .stored([1, 2, 3], lifetime: .seconds(60))))
        for claim in claims where claim.isRunning { try await expectEqual(claim.finish(), .stored) }
        try await expectEqual(stores[0].bytes(for: key), [1, 2, 3])
        try await expect(!own.finish(lease, with: .released), "it has ended")
    }

    @Test func `a lease that is given back goes to one that waits, and a failure to all`() async throws {
        let server = try RedisServer()
        let lasting: (inout RedisStore.Configuration) -> Void = { $0.leaseTime = .seconds(3_600) }
        let (one, other) = (try await store(server, lasting), try await store(server, lasting))
        let key = key
        guard case .leads(let first) = try await one.claim(key) else {
            Issue.record("no lease")
            return
        }
        let waiting = Probe { try await other.claim(key) }
        try await expect(one.finish(first, with: .released))
        guard case .leads(let second) = try await waiting.finish() else {
            Issue.record("no lease")
            return
        }
        expect(second.token, >, first.token)
        try await expect(other.finish(second, with: .failed([7], lifetime: .seconds(60))))
        try await expectEqual(one.claim(key), .failed([7]))
    }

    @Test func `a lease without renewal ends, and its holder stores nothing`() async throws {
        let server = try RedisServer()
        let one = try await store(server) {
            $0.leaseTime = .seconds(1)
            $0.maximumLease = .zero
        }
        let other = try await store(server) { $0.pingInterval = .milliseconds(10) }
        guard case .leads(let old) = try await one.claim(key) else {
            Issue.record("no lease")
            return
        }
        guard case .leads(let new) = try await other.claim(key) else {
            Issue.record("no lease")
            return
        }
        expect(new.token, >, old.token)
        try await expect(!one.finish(old, with: .stored([1], lifetime: .seconds(60))))
        try await expect(other.finish(new, with: .stored([2], lifetime: .seconds(60))))
        try await expectEqual(one.bytes(for: key), [2])
    }

    @Test func `a token that is not the lease's renews and ends nothing`() async throws {
        let server = try RedisServer()
        let store = try await store(server) { $0.leaseTime = .seconds(3_600) }
        guard case .leads(let lease) = try await store.claim(key) else {
            Issue.record("no lease")
            return
        }
        let link = await link(server)
        defer { link.loop.stop() }
        let keys = ["", ":lease", ":token", ":word", ":waits"].map { "swi1:{\(key)}\($0)" }
        func renew(_ token: Int64) async throws -> RedisReply {
            try await link.reply(
                to: RedisCommand(["EVALSHA", RedisScript.renew.digest, "5"] + keys + ["\(token)", "7200000"]))
        }
        let wrong = SharedLease(key: key, token: lease.token + 1)
        try await expectEqual(renew(wrong.token), .integer(0))
        try await expect(!store.finish(wrong, with: .stored([1], lifetime: .seconds(60))))
        try await expectNil(store.bytes(for: key))
        try await expect(1...3_600_000 ~= millisecondsLeft(link, keys[1]))
        try await expectEqual(renew(lease.token), .integer(1))
        try await expect(millisecondsLeft(link, keys[1]), >, 3_600_000)
        try await expect(store.finish(lease, with: .stored([2], lifetime: .seconds(60))))
        try await expectEqual(store.bytes(for: key), [2])
    }

    @Test func `a lease is renewed while its holder works`() async throws {
        let server = try RedisServer()
        let one = try await store(server) { $0.leaseTime = .milliseconds(300) }
        let other = try await store(server) { $0.pingInterval = .milliseconds(10) }
        let key = key
        guard case .leads(let lease) = try await one.claim(key) else {
            Issue.record("no lease")
            return
        }
        let waiting = Probe { try await other.claim(key) }
        try await keepBusy(other, for: .milliseconds(900))
        expect(waiting.isRunning)
        try await expect(one.finish(lease, with: .stored([1], lifetime: .seconds(60))))
        try await expectEqual(waiting.finish(), .stored)
    }

    @Test func `a caller that leaves takes no lease with it`() async throws {
        let server = try RedisServer()
        let store = try await store(server) { $0.leaseTime = .seconds(3_600) }
        let key = key
        for _ in 0..<50 {
            let claim = Probe { try await store.claim(key) }
            await Task.yield()
            claim.cancel()
            if case .leads(let lease)? = try? await claim.finish() {
                _ = try await store.finish(lease, with: .released)
            }
        }
        guard case .leads = try await store.claim(key) else {
            Issue.record("a lease is left")
            return
        }
    }

    @Test(arguments: [SIGSTOP, SIGKILL]) func `a server that hangs or dies releases all that wait`(signal: Int32)
        async throws
    {
        let server = try RedisServer()
        let store = try await store(server) {
            $0.commandTimeout = .milliseconds(250)
            $0.leaseTime = .seconds(3_600)  // so that only a sign of life that is missing ends the wait
        }
        let key = key
        guard case .leads = try await store.claim(key) else {
            Issue.record("no lease")
            return
        }
        let waiting = (0..<20).map { _ in Probe { try await store.claim(key) } }
        try await keepBusy(store, for: .milliseconds(20))
        server.signal(signal)
        for claim in waiting {
            await #expect { _ = try await claim.finish() } throws: {
                ($0 as? SharedStoreError)?.code == (signal == SIGSTOP ? .timedOut : .unreachable)
            }
        }
        await expectError(SharedStoreError.self) { try await store.bytes(for: key) }
        server.kill()
        try server.start()
        await expect(store.connected(within: .seconds(30)))
        try await store.store([1], for: key, lifetime: .seconds(60))
    }

    @Test func `after the end every call says so`() async throws {
        let server = try RedisServer()
        let store = try await store(server)
        await store.shutdown()
        await #expect { _ = try await store.bytes(for: key) } throws: { ($0 as? SharedStoreError)?.code == .shutDown }
        await expectError(SharedStoreError.self) { try await store.claim(key) }
        await expect(!store.connected(within: .seconds(1)))
    }
}
