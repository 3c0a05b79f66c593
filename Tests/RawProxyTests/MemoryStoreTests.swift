// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import Locks
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import raw_proxy

@Suite(.timeLimit(.minutes(1))) struct MemoryStoreTests {
    private final class Part: Sendable {
        private let part = Mutex(0.1)
        var value: Double {
            get { part.withLock { $0 } }
            set { part.withLock { $0 = newValue } }
        }
    }

    @Test func `responses give way while memory is short`() async throws {
        let (store, clock, used) = (MemoryStore(byteLimit: 1 << 20), ManualClock(), Part())
        let watch = Task { await store.watchMemory(on: clock) { MemorySample(usedPart: used.value) } }
        func fill() async throws {
            for number in 0..<200 {
                let target = try required(URL(string: "http://a.example/\(number)").flatMap { CacheTarget($0) })
                let head = ResponseHead(
                    status: 404, headers: [:], requestTime: HTTPDate(secondsSince1970: 0),
                    responseTime: HTTPDate(secondsSince1970: 0))
                let stored = StoredResponse(head: head, selectors: [:])
                await store.store(RawResponse(stored: stored, body: [UInt8](repeating: 0, count: 9_000)), for: target)
            }
        }
        for (part, limit) in [(0.1, 1 << 20), (0.85, 512 << 10), (0.95, 128 << 10), (0.1, 1 << 20)] {
            used.value = part
            while clock.sleepers == 0 { await Task.yield() }
            clock.advance(by: .seconds(1))
            while clock.sleepers == 0 { await Task.yield() }
            await expect(store.byteCount, <=, limit)
            try await fill()
            let count = await store.byteCount
            expectAll(count <= limit, count > limit - 20_000)
        }
        watch.cancel()
        await watch.value
    }
}
