// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import SharedStores
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// Races between the callers' threads, the loop of a link and the server.
@Suite(.timeLimit(.minutes(2))) struct RedisStressTests {
    private func configuration(_ path: String) -> RedisStore.Configuration {
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: path)))
        configuration.commandTimeout = .seconds(30)  // a machine that is busy is no failure
        configuration.connectTimeout = .seconds(30)
        configuration.leaseTime = .seconds(3_600)
        return configuration
    }

    @Test(.needsRedis) func `no waiter misses the end of a lease`() async throws {
        let server = try RedisServer()
        let (one, other) = (RedisStore(configuration(server.path)), RedisStore(configuration(server.path)))
        for store in [one, other] { expect(await store.connected(within: .seconds(30))) }
        for turn in 0..<1_000 {
            let key = SharedKey(CacheKey("https://images.example/\(turn).png"))
            guard case .leads(let lease) = try await one.claim(key) else { throw CancellationError() }
            let waiting = (0..<4).map { _ in Probe { try await other.claim(key) } }
            for _ in 0..<turn % 20 { await Task.yield() }
            try await expect(one.finish(lease, with: .stored([1], lifetime: .seconds(60))))
            let late = ContinuousClock.now.advanced(by: .seconds(20))
            while waiting.contains(where: \.isRunning) {
                guard ContinuousClock.now < late else {
                    for claim in waiting { claim.cancel() }
                    Issue.record("a waiter of turn \(turn) has heard nothing")
                    return
                }
                await Task.yield()
            }
            for claim in waiting { try await expectEqual(claim.finish(), .stored) }
        }
        for store in [one, other] { await store.shutdown() }
    }

    @Test func `every call that comes while a link ends is answered`() async throws {
        let fake = try FakeRedis { _ in Array("$-1\r\n".utf8) }
        let key = SharedKey(CacheKey("https://images.example/1.png"))
        for turn in 0..<300 {
            let store = RedisStore(configuration(fake.path))
            let calls = (0..<4).map { _ in
                Probe {
                    while true {
                        do { _ = try await store.bytes(for: key) } catch let error as SharedStoreError {
                            if error.code == .shutDown { return }
                        }
                    }
                }
            }
            for _ in 0..<turn % 40 { await Task.yield() }
            await store.shutdown()
            for call in calls { try await call.finish() }
        }
        while fake.clientCount > 0 { await Task.yield() }
    }
}
