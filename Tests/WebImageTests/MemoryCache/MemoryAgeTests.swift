// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The end of what memory has, and of what is known of it.
@Suite(.timeLimit(.minutes(1))) struct MemoryAgeTests {
    @Test func `a confirmation by the origin does not prolong what memory has`() async throws {
        let (start, passed) = (ContinuousClock.now, Journal<Duration>())
        let caches = ImageCaches(
            memory: MemoryLimits(), disk: nil, executor: nil, clock: { start + (passed.entries.last ?? .zero) })
        let transport = StubTransport(gate: nil) { request in
            let tag: HTTPHeaders = ["ETag": "\"1\""]
            if request.headers["If-None-Match"] != nil {
                return HTTPResponse(status: 304, headers: tag, url: request.url)
            }
            return HTTPResponse(status: 200, headers: tag, url: request.url, body: HTTPBody([try Pictures.png(1)]))
        }
        let manager = ImageManager(configuration: .unchanged, caches: caches, transport: transport)
        var request = ImageRequest.numbered(1)
        request.cachePolicy = .revalidate
        request.lifetime.memory = .absolute(.seconds(10))
        _ = try await manager.image(for: request)
        passed.write(.seconds(9))
        _ = try await manager.image(for: request)
        expectEqual(transport.requests.map { $0.headers["If-None-Match"] }, [nil, "\"1\""])
        expect(manager.peek(.numbered(1)) != nil)
        passed.write(.seconds(10))
        expectNil(manager.peek(.numbered(1)))
        _ = await manager.shutdown(within: .seconds(5))
    }

    @Test func `what comes after a table was emptied ages like what was there before`() {
        let passed = Journal<Duration>()
        let table = MemoryTable<Int, Int>(
            maximumCost: 10, maximumCount: 2, age: .absolute(.seconds(1)), onRetire: nil,
            now: { passed.entries.last ?? .zero })
        table.removeAll()
        for key in 1...3 { expect(table.store(key, for: key, cost: 1, age: nil, keepsEnd: false)) }
        // Nor are the limits lost.
        expectEqual((1...3).filter { table.value(for: $0) != nil }.count, 2)
        expect(!table.store(4, for: 4, cost: 11, age: nil, keepsEnd: false))
        passed.write(.seconds(1))
        expectEqual((1...3).filter { table.value(for: $0) != nil }, [])
    }

    @Test func `what a look-up finds at its end is told like what is evicted`() {
        let (told, passed) = (Journal<Int>(), Journal<Duration>())
        let table = MemoryTable<Int, Int>(
            maximumCost: 10, maximumCount: 10, age: .absolute(.seconds(1)),
            onRetire: { keys, _ in keys.forEach { told.write($0) } }, now: { passed.entries.last ?? .zero })
        expect(table.store(7, for: 1, cost: 1, age: nil, keepsEnd: false))
        expectEqual(table.value(for: 1), 7)
        passed.write(.seconds(1))
        expectNil(table.value(for: 1))
        expectEqual(told.entries, [1])
    }
}
