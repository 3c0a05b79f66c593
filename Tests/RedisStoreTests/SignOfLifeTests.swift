// SPDX-License-Identifier: MIT
import EventLoops
import SharedStores
import Synchronization
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// A server that hangs, by a clock of the test.
@Suite(.timeLimit(.minutes(2))) struct SignOfLifeTests {
    @Test(arguments: [0, 30, 60, 90, 120, 170])
    func `calls that wait notice within 500 ms that the server hangs, whenever it begins`(phase: UInt64) async throws {
        let isHanging = Atomic<Bool>(false)
        // To each question for a lease: another process has it, for an hour.
        let fake = try FakeRedis { words in
            if isHanging.load(ordering: .relaxed) { return [] }
            return Array((words.first == "PING" ? "+PONG\r\n" : "*2\r\n:3\r\n:3600000\r\n").utf8)
        }
        // An hour ahead, so that the loop does not wake by itself.
        let clock = Atomic<UInt64>(EventLoop.nanoseconds + 3_600_000_000_000)
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: fake.path)))
        configuration.now = { clock.load(ordering: .relaxed) }
        let store = RedisStore(configuration)
        await expect(store.connected(within: .seconds(60)))
        let link = store.link
        let step: @Sendable () async -> Void = {
            clock.wrappingAdd(10_000_000, ordering: .relaxed)
            _ = await link.takeTurn()
        }
        let claim = Probe { try await store.claim(SharedKey(CacheKey("https://images.example/1.png"))) }
        while await link.bells.isEmpty { await Task.yield() }
        for _ in 0..<phase / 10 {
            while await link.isWaiting { await Task.yield() }
            await step()
        }
        while await link.isWaiting { await Task.yield() }
        isHanging.store(true, ordering: .relaxed)
        let begin = clock.load(ordering: .relaxed)
        while case .connected = await link.phase, clock.load(ordering: .relaxed) - begin < 2_000_000_000 {
            await step()
        }
        #expect(clock.load(ordering: .relaxed) - begin <= 500_000_000)
        await #expect { _ = try await claim.finish() } throws: { ($0 as? SharedStoreError)?.code == .timedOut }
        await store.shutdown()
    }
}
