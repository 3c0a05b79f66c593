// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import SharedStores
import Synchronization
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// A server that hangs, by a clock of the test.
@Suite(.timeLimit(.minutes(2))) struct SignOfLifeTests {
    /// To each question for a lease: another process has it, for an hour.
    private static func held(_ words: [String]) -> [UInt8] {
        Array((words.first == "PING" ? "+PONG\r\n" : "*2\r\n:3\r\n:3600000\r\n").utf8)
    }

    private func key(_ number: Int = 1) -> SharedKey { SharedKey(CacheKey("https://images.example/\(number).png")) }

    /// Counts commands.
    private final class Heard: Sendable { let count = Atomic(0) }

    @Test(arguments: [0, 30, 60, 90, 120, 170])
    func `calls that wait notice within 500 ms that the server hangs, whenever it begins`(phase: Int) async throws {
        let isHanging = Atomic<Bool>(false)
        let fake = try FakeRedis { isHanging.load(ordering: .relaxed) ? [] : Self.held($0) }
        let (store, clock) = await Clocked.store(fake)
        let claim = Probe { [key] in try await store.claim(key(1)) }
        while await store.link.bells.isEmpty { await Task.yield() }
        for _ in 0..<phase / 10 {
            while await store.link.isWaiting { await Task.yield() }
            await clock.step(store, 10)
        }
        while await store.link.isWaiting { await Task.yield() }
        isHanging.store(true, ordering: .relaxed)
        let begin = clock.milliseconds
        while case .connected = await store.link.phase, clock.milliseconds - begin < 2_000 {
            await clock.step(store, 10)
        }
        expect(clock.milliseconds - begin, <=, 500)
        await #expect { _ = try await claim.finish() } throws: { ($0 as? SharedStoreError)?.code == .timedOut }
        await store.shutdown()
    }

    @Test func `a hanging connection for messages is noticed, too`() async throws {
        let fake = try FakeRedis(messages: { _ in [] }) { Self.held($0) }
        let (store, clock) = await Clocked.store(fake)
        let claim = Probe { [key] in try await store.claim(key(1)) }
        while await store.link.bells.isEmpty { await Task.yield() }
        let begin = clock.milliseconds
        while case .connected = await store.link.phase, clock.milliseconds - begin < 2_000 {
            while await store.link.awaitsCommand { await Task.yield() }
            await clock.step(store, 10)
        }
        expect(clock.milliseconds - begin, <=, 500)
        await #expect { _ = try await claim.finish() } throws: { ($0 as? SharedStoreError)?.code == .timedOut }
    }

    @Test func `a lease that ends by itself is asked for again, however many calls begin to wait`() async throws {
        let (asked, name) = (Heard(), key(0).description)
        let fake = try FakeRedis { words in
            guard words.contains(where: { $0.contains(name) }) else { return Self.held(words) }
            asked.count.wrappingAdd(1, ordering: .relaxed)
            return Array("*2\r\n:3\r\n:1000\r\n".utf8)
        }
        let (store, clock) = await Clocked.store(fake)
        var claims: [Probe<SharedClaim>] = []
        for number in 0..<30 {
            claims.append(Probe { [key] in try await store.claim(key(number)) })
            while await store.link.bells.count <= number { await Task.yield() }
            while await store.link.isWaiting { await Task.yield() }
            await clock.step(store, 50)
        }
        while asked.count.load(ordering: .relaxed) < 2 { await Task.yield() }
        await store.shutdown()
        for claim in claims { await expectError(SharedStoreError.self) { try await claim.finish() } }
    }

    @Test func `a reply that has come is not late, however late the thread is itself`() async throws {
        let second = DispatchSemaphore(value: 0)
        let fake = try FakeRedis { words in
            // A command is heard when the reply to the one before has left.
            guard words.last == "2" else { return Array("$-1\r\n".utf8) }
            second.signal()
            return []
        }
        let (store, clock) = await Clocked.store(fake)
        await expect(store.link.isInTime(clock) { second.wait() })
    }
}

/// A clock of the test, an hour ahead, so that no loop wakes by itself.
private final class Clocked: Sendable {
    private let now = Atomic<UInt64>(EventLoop.nanoseconds + 3_600_000_000_000)

    var milliseconds: UInt64 { now.load(ordering: .relaxed) / 1_000_000 }

    func advance(_ milliseconds: UInt64) { now.wrappingAdd(milliseconds * 1_000_000, ordering: .relaxed) }

    static func store(_ fake: FakeRedis) async -> (RedisStore, Clocked) {
        let clock = Clocked()
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: fake.path)))
        configuration.now = { clock.now.load(ordering: .relaxed) }
        let store = RedisStore(configuration)
        await expect(store.connected(within: .seconds(60)))
        return (store, clock)
    }

    func step(_ store: RedisStore, _ milliseconds: UInt64) async {
        advance(milliseconds)
        _ = await store.link.takeTurn()
    }
}

extension RedisLink {
    fileprivate var awaitsCommand: Bool { commands?.deadline != nil }

    /// Whether the reply to a command counts that comes while the thread does something else until it is over its time.
    fileprivate func isInTime(_ clock: Clocked, _ work: () -> Void) -> Bool {
        send(RedisCommand(["GET", "1"])) { _ in }
        clock.advance(200)
        send(RedisCommand(["GET", "2"])) { _ in }
        do { try commands?.flush() } catch { return false }
        work()
        clock.advance(100)
        _ = takeTurn()
        if case .connected = phase { return true }
        return false
    }
}
