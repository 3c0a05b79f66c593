// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.replayed)
struct AdmissionQueueTests {
    private let configuration: HTTPClient.Configuration
    /// Never started: its orders are only queued.
    private let table: TransferTable

    init() {
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumConnectionsPerHost = 2
        configuration.maximumConnections = 5
        configuration.maximumQueuedRequests = 30
        self.configuration = configuration
        table = TransferTable(TransferSettings(configuration), lookUp: NameResolver.system)
    }

    private func transfer(_ id: UInt64, host: Int) throws -> Transfer {
        let request = HTTPRequest(url: URL(string: "http://host\(host).example/")!)
        return Transfer(try TransferOrder(id: id, request, in: table), for: nil)
    }

    @Test(arguments: Seeds.first(40))
    func `limits hold, order holds, and every transfer runs that may`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var queue = AdmissionQueue(configuration)
        var running: [Transfer] = []
        var waiting: [Transfer] = []
        let runs = { (host: String) in running.filter { $0.origin.host == host }.count }
        for id in 0..<600 as Range<UInt64> {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let new = try transfer(id, host: .random(in: 0..<4, using: &generator))
                switch queue.enter(new) {
                case .admitted: running.append(new)
                case .queued:
                    new.phase = .queued
                    waiting.append(new)
                case .overloaded: expectEqual(waiting.count, 30)
                }
            case 5..<8:
                guard let index = running.indices.randomElement(using: &generator) else { continue }
                let ended = running.remove(at: index)
                ended.phase = .ended
                queue.leave(ended.origin)
            default:
                guard let index = waiting.indices.randomElement(using: &generator) else { continue }
                let ended = waiting.remove(at: index)
                ended.phase = .ended
                queue.abandon(ended)
            }
            for admitted in queue.admit() {
                // First come, first served within a host.
                let first = waiting.first { $0.origin == admitted.origin }
                expect(first === admitted)
                waiting.removeAll { $0 === admitted }
                running.append(admitted)
            }
            expectEqual(queue.waitingCount, waiting.count)
            expect(running.count, <=, 5)
            for host in 0..<4 { expect(runs("host\(host).example"), <=, 2) }
            // What waits has a reason: all are busy, or those of its host.
            for one in waiting { expect(running.count == 5 || runs(one.origin.host) == 2) }
        }
    }

    @Test func `An origin with HTTP/2 takes many transfers and counts once`() throws {
        var queue = AdmissionQueue(configuration)
        let first = try transfer(0, host: 0)
        expectEqual(queue.enter(first), .admitted)
        queue.learn(first.origin, isMultiplexed: true)
        for id in 1..<100 as Range<UInt64> { expectEqual(queue.enter(try transfer(id, host: 0)), .admitted) }
        expectEqual(queue.enter(try transfer(100, host: 0)), .queued)
        for id in 0..<4 as Range<UInt64> {
            expectEqual(queue.enter(try transfer(200 + id, host: 1 + Int(id) / 2)), .admitted)
        }
        expectEqual(queue.enter(try transfer(300, host: 3)), .queued)
        queue.leave(first.origin)
        expectEqual(queue.admit().map(\.id), [100])
    }

    @Test func `waiting origins take turns, however many wait for one of them`() throws {
        var queue = AdmissionQueue(configuration)
        let running = try (0..<5).map { try transfer(UInt64($0), host: 10 + $0) }
        for one in running { expectEqual(queue.enter(one), .admitted) }
        for (id, host) in [0, 0, 0, 1, 2, 1].enumerated() {
            expectEqual(queue.enter(try transfer(10 + UInt64(id), host: host)), .queued)
        }
        // One connection comes free at a time.
        var admitted: [UInt64] = []
        for one in running {
            queue.leave(one.origin)
            admitted += queue.admit().map(\.id)
        }
        expectEqual(admitted, [10, 13, 14, 11, 15])
    }

    @Test func `cancelled transfers leave the line of an origin that does not answer`() throws {
        var queue = AdmissionQueue(configuration)
        for id in 0..<2 as Range<UInt64> { expectEqual(queue.enter(try transfer(id, host: 0)), .admitted) }
        let alive = try transfer(2, host: 0)
        expectEqual(queue.enter(alive), .queued)
        for id in 3..<5_000 as Range<UInt64> {
            let one = try transfer(id, host: 0)
            expectEqual(queue.enter(one), .queued)
            expect(queue.admit().isEmpty)
            one.phase = .ended
            queue.abandon(one)
            expectAll(queue.waitingCount == 1, queue.placeCount <= 100)
        }
        queue.leave(alive.origin)
        expectEqual(queue.admit().map(\.id), [2])
        expectAll(queue.admit().isEmpty, queue.placeCount == 0)
    }

    @Test func `a newcomer does not overtake one that waits`() throws {
        var queue = AdmissionQueue(configuration)
        let running = try (0..<2).map { try transfer($0, host: 0) }
        for one in running { expectEqual(queue.enter(one), .admitted) }
        let waiting = try transfer(2, host: 0)
        expectEqual(queue.enter(waiting), .queued)
        // One leaves, and another comes, in the same turn: before anything is admitted.
        queue.leave(running[0].origin)
        expectEqual(queue.enter(try transfer(3, host: 0)), .queued)
        expectEqual(queue.admit().map(\.id), [2])
        queue.leave(running[1].origin)
        expectEqual(queue.admit().map(\.id), [3])
        expectEqual(queue.entryCount, 4)
        expectEqual(queue.connections, 2)
        expectAll(queue.admit().isEmpty, queue.waitingCount == 0, queue.entryCount == 4)
    }

    @Test func `an origin is forgotten when nothing of it runs or waits, and one that left HTTP/2 has its limit again`()
        throws
    {
        var queue = AdmissionQueue(configuration)
        for id in 0..<3_000 as Range<UInt64> {
            let one = try transfer(id, host: Int(id))
            expectEqual(queue.enter(one), .admitted)
            queue.leave(one.origin)
        }
        let lanes = Mirror(reflecting: queue).children.first { $0.label == "lanes" }.map {
            Mirror(reflecting: $0.value)
        }
        expect((lanes?.children.count ?? .max), <=, 1_000)
        let first = try transfer(5_000, host: 0)
        expectEqual(queue.enter(first), .admitted)
        queue.learn(first.origin, isMultiplexed: true)
        for id in 5_001..<5_004 as Range<UInt64> { expectEqual(queue.enter(try transfer(id, host: 0)), .admitted) }
        expectEqual(queue.connections, 1)
        queue.learn(first.origin, isMultiplexed: false)
        expectEqual(queue.connections, 4)
        expectEqual(queue.enter(try transfer(5_010, host: 0)), .queued)
        for left in 1...3 {
            queue.leave(first.origin)
            expectEqual(queue.admit().map(\.id), left == 3 ? [5_010] : [])
        }
    }
}
