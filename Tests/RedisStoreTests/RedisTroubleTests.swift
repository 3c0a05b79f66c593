// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import SharedStores
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// What operators meet: scripts that are gone, log-ins that are refused, ports of another kind.
@Suite(.needsRedis, .timeLimit(.minutes(1))) struct RedisTroubleTests {
    private func key(_ number: Int) -> SharedKey { SharedKey(CacheKey("https://images.example/\(number).png")) }

    private func store(_ address: RedisAddress, connectTimeout: Duration = .seconds(5)) -> RedisStore {
        var configuration = RedisStore.Configuration(address)
        configuration.commandTimeout = .seconds(5)  // a machine that is busy is no failure
        configuration.connectTimeout = connectTimeout
        configuration.leaseTime = .seconds(3_600)
        configuration.retryDelay = .milliseconds(1)...(.milliseconds(64))
        return RedisStore(configuration)
    }

    private func lease(_ number: Int, of store: RedisStore) async throws -> SharedLease {
        guard case .leads(let lease) = try await store.claim(key(number)) else { throw CancellationError() }
        return lease
    }

    /// What calls hear, once they hear more than that there is no connection yet.
    private func trouble(of store: RedisStore) async -> SharedStoreError {
        while true {
            do { _ = try await store.bytes(for: key(0)) } catch let error as SharedStoreError {
                if error.message != "Redis is not connected yet." { return error }
            } catch {}
            await Task.yield()
        }
    }

    @Test func `leases are given and end after a server has forgotten its scripts`() async throws {
        let server = try RedisServer()
        let store = store(RedisAddress(.unix(path: server.path)))
        await expect(store.connected(within: .seconds(30)))
        func forget() async throws {
            try await expect(store.link.reply(to: RedisCommand(["SCRIPT", "FLUSH"])).isOK)
        }
        try await forget()
        let first = try await lease(1, of: store)
        try await forget()
        try await expect(store.finish(first, with: .stored([1], lifetime: .seconds(60))))
        try await expectEqual(store.bytes(for: key(1)), [1])
        try await expectEqual(store.claim(key(1)), .stored)
    }

    @Test func `a command that no script helps is refused, and the link goes on`() async throws {
        let fake = try FakeRedis { words in
            Array((words.first == "EVALSHA" ? "-NOSCRIPT No matching script.\r\n" : "$-1\r\n").utf8)
        }
        let store = store(RedisAddress(.unix(path: fake.path)))
        await expect(store.connected(within: .seconds(30)))
        let error = await expectError(SharedStoreError.self) { try await store.claim(key(1)) }
        expectEqual(error?.code, .refused)
        expectEqual(error?.message.contains("NOSCRIPT"), true)
        try await expectNil(store.bytes(for: key(1)))
    }

    @Test func `the first refusal of a log-in is told, also while the next one is tried`() async throws {
        let server = try RedisServer(["--requirepass", "right"])
        let store = store(RedisAddress(.unix(path: server.path), password: "wrong"))
        var error = await trouble(of: store)
        while error.code == .unreachable { error = await trouble(of: store) }  // the server starts
        expect(error.code == .refused && error.message.contains("WRONGPASS"), "\(error)")
    }

    @Test func `TLS to a port without it has a reason`() async throws {
        let port = RedisServer.freePort()
        let server = try RedisServer(["--port", "\(port)", "--bind", "127.0.0.1"])
        let inside = store(RedisAddress(.unix(path: server.path)))
        await expect(inside.connected(within: .seconds(30)))
        let store = store(try RedisAddress("rediss://127.0.0.1:\(port)"), connectTimeout: .milliseconds(50))
        let error = await trouble(of: store)
        expect(error.code == .timedOut && error.message.contains("redis: in place of rediss:"), "\(error)")
    }

    @Test func `the rights in the guide are enough`() async throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let guide = repository.appending(path: "Sources/RedisStore/RedisStore.docc/RedisStore.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let command = try required(text.split(separator: "ACL SETUSER ").last?.split(separator: "```").first)
        let rights = command.split { " \\\n".contains($0) }.map { $0.filter { $0 != "'" } }
        let server = try RedisServer(["--user"] + rights)
        let secret = try required(rights.first { $0.hasPrefix(">") }).dropFirst()
        let address = RedisAddress(.unix(path: server.path), user: rights[0], password: String(secret))
        let (store, other) = (store(address), store(address))
        for store in [store, other] { expect(await store.connected(within: .seconds(30))) }
        try await expect(store.link.reply(to: RedisCommand(["CONFIG", "GET", "dir"])).isRefusal, "and no more")
        try await expect(store.link.reply(to: RedisCommand(["GET", "else"])).isRefusal)
        try await store.store([1], for: key(1), lifetime: .seconds(60))
        try await expectEqual(store.bytes(for: key(1)), [1])
        try await store.remove(key(1))
        let (held, key) = (try await lease(2, of: store), key(2))
        try await expectEqual(store.link.reply(to: store.link.configuration.renewing(held)), .integer(1))
        let waiting = Probe { try await other.claim(key) }
        while await other.link.bells.isEmpty { await Task.yield() }
        try await expect(store.finish(held, with: .stored([2], lifetime: .seconds(60))))
        try await expectEqual(waiting.finish(), .stored)
        while await !other.link.bells.isEmpty { await Task.yield() }
    }

    @Test func `the pause before connecting again is short again after a connection`() async throws {
        let server = try RedisServer()
        let store = store(RedisAddress(.unix(path: server.path)))
        await expect(store.connected(within: .seconds(30)))
        server.kill()
        while await store.link.retryDelay < .milliseconds(64) { _ = try? await store.bytes(for: key(1)) }
        // It does not grow beyond.
        if case .down(let last) = await store.link.phase {
            while case .down(last) = await store.link.phase { _ = try? await store.bytes(for: key(1)) }
        }
        while case .connecting = await store.link.phase { await Task.yield() }
        await expectEqual(store.link.retryDelay, .milliseconds(64))
        // All that wait hear of the connection.
        let waiting = (0..<3).map { _ in Probe { await store.connected(within: .seconds(30)) } }
        while await store.link.connectionWaiters.count < 3 { await Task.yield() }
        try server.start()
        for wait in waiting { try await expect(wait.finish()) }
        await expectEqual(store.link.retryDelay, .milliseconds(1))
    }

    @Test func `the end of a store is heard by all that wait for its connection`() async throws {
        let store = store(RedisAddress(.unix(path: "/nowhere/redis.sock")))
        let waiting = (0..<3).map { _ in Probe { await store.connected(within: .seconds(3_600)) } }
        while await store.link.connectionWaiters.count < 3 { await Task.yield() }
        await store.shutdown()
        for wait in waiting { try await expect(!wait.finish()) }
    }

    @Test func `a port without a server is named as one`() async throws {
        let error = await trouble(of: store(try RedisAddress("redis://127.0.0.1:\(RedisServer.freePort())")))
        expect(error.code == .unreachable && error.message.contains("cannot be reached"), "\(error)")
    }

    @Test func `a wait leaves nothing behind, and an idle link asks for no sign of life`() async throws {
        let server = try RedisServer()
        let address = RedisAddress(.unix(path: server.path))
        let (one, other, key) = (store(address), store(address), key(1))
        for store in [one, other] { expect(await store.connected(within: .seconds(30))) }
        let held = try await lease(1, of: one)
        let left = Probe { try await other.claim(key) }
        while await other.link.bells.isEmpty { await Task.yield() }
        left.cancel()
        let waiting = Probe { try await other.claim(key) }
        try await expect(one.finish(held, with: .stored([1], lifetime: .seconds(60))))
        try await expectEqual(waiting.finish(), .stored)
        _ = try? await left.finish()
        // The calls have said that they leave before this command.
        try await expectEqual(other.bytes(for: key), [1])
        await expect(other.link.bells.isEmpty)
        await expect(other.link.leases.isEmpty)
        await expectNil(other.link.nextTurn)
    }
}

extension RedisReply {
    fileprivate var isRefusal: Bool { if case .error = self { true } else { false } }
}
