// SPDX-License-Identifier: MIT
import Foundation
import SharedStores
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// A server that answers what it may not.
@Suite(.timeLimit(.minutes(1))) struct HostileReplyTests {
    private let key = SharedKey(CacheKey("https://images.example/1.png"))

    private func store(_ fake: FakeRedis) async -> RedisStore {
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: fake.path)))
        configuration.commandTimeout = .milliseconds(400)
        configuration.connectTimeout = .seconds(5)
        let store = RedisStore(configuration)
        await expect(store.connected(within: .seconds(30)))
        return store
    }

    @Test(arguments: [
        ":7\r\n", "*1\r\n$1\r\nx\r\n", "-ERR no\r\n", "$9223372036854775807\r\n", "$-7\r\n", "*1000000000\r\n",
        "*1025\r\n",
        "*-9\r\n", "*9999999999999999999\r\n", "?\r\n", "\r\n", "$3\r\nabcdefgh\r\n",
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "$5\r\nab", "",
        String(repeating: "*1\r\n", count: 200_000),
    ])
    func `such a reply is an error, and the process lives`(reply: String) async throws {
        let fake = try FakeRedis { _ in Array(reply.utf8) }
        let store = await store(fake)
        // Several wait at once, and each hears of it.
        let claims = (0..<3).map { _ in Probe { [key] in try await store.claim(key) } }
        await expectError(SharedStoreError.self) { try await store.store([1], for: key, lifetime: .seconds(1)) }
        for claim in claims { await expectError(SharedStoreError.self) { try await claim.finish() } }
    }

    @Test(arguments: [
        "*0\r\n", "*1\r\n:2\r\n", "*2\r\n:2\r\n$1\r\nx\r\n", "*2\r\n:3\r\n$-1\r\n", "*2\r\n:9\r\n:9\r\n",
        "*2\r\n:4\r\n:4\r\n",
    ])
    func `a claim that is answered like this is in trouble`(reply: String) async throws {
        let fake = try FakeRedis { _ in Array(reply.utf8) }
        let store = await store(fake)
        await #expect { _ = try await store.claim(key) } throws: { ($0 as? SharedStoreError)?.code == .malformed }
    }

    @Test func `a reply that was not asked for ends the connection`() async throws {
        let fake = try FakeRedis { _ in Array("+OK\r\n+OK\r\n".utf8) }
        let store = await store(fake)
        try? await store.store([1], for: key, lifetime: .seconds(1))
        await expectError(SharedStoreError.self) {
            while true { try await store.store([1], for: key, lifetime: .seconds(1)) }
        }
    }

    @Test func `more bytes than were asked for end the connection`() async throws {
        let fake = try FakeRedis { _ in Array("$50000000\r\n".utf8) + [UInt8](repeating: 1, count: 20_000_000) }
        let store = await store(fake)
        await #expect { _ = try await store.bytes(for: key) } throws: { ($0 as? SharedStoreError)?.code == .malformed }
    }

    @Test(arguments: ["MOVED 3999 127.0.0.1:6381", "ASK 3999 127.0.0.1:6381", "CLUSTERDOWN", "CROSSSLOT Keys"])
    func `a node of a cluster is named as one`(word: String) async throws {
        let fake = try FakeRedis { _ in Array("-\(word)\r\n".utf8) }
        let store = await store(fake)
        await #expect { _ = try await store.bytes(for: key) } throws: {
            ($0 as? SharedStoreError)?.code == .unsupported && "\($0)".contains("cluster")
        }
    }
}
