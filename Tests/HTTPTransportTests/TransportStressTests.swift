// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// Races that seeds cannot see, because they lie between two locks of one synchronous step: many rounds on real
/// threads.
///
/// A lost wake-up ends in the time limit.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TransportStressTests {
    #if THREAD_SANITIZER
    static let rounds = 5_000
    #else
    static let rounds = 50_000
    #endif

    @Test func `a reader that begins to wait while bytes arrive is woken`() async throws {
        let pipe = BodyPipe()
        let taken = Atomic<Int>(0)
        let writer = Thread {
            for round in 1...Self.rounds {
                // One byte at a time, so that no later one wakes the reader in its place.
                while taken.load(ordering: .acquiring) < round - 1 {}
                for _ in 0..<round % 199 { _ = taken.load(ordering: .relaxed) }
                let byte = [UInt8(truncatingIfNeeded: round)]
                _ = unsafe pipe.write(byte.span.bytes, expecting: nil, mayRefuse: false)
            }
            pipe.finish(.success(()))
        }
        writer.start()
        while true {
            switch pipe.take(atLeast: 1) {
            case .chunk(let bytes, _):
                expectEqual(bytes.count, 1)
                taken.add(1, ordering: .releasing)
            case .nothing: expect(await pipe.waitUntilReadable())
            case .end:
                expectEqual(taken.load(ordering: .acquiring), Self.rounds)
                return
            case .failed(let error): throw error
            }
        }
    }

    @Test func `what comes after a transfer begins once also when that ends meanwhile`() async throws {
        let queue = HTTPTransferQueue(StubLoader())
        let url = URL(string: "http://a.example/")!
        let response = CollectedResponse(url: url, bytes: [])
        let transfers = (0..<Self.rounds).map { HTTPTransfer(id: $0, HTTPRequest(url: url), upTo: 1, in: queue) }
        let begun = transfers.map { _ in Counter() }
        let turn = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for round in 0..<Self.rounds {
                // Both threads meet before each round.
                turn.add(1, ordering: .acquiringAndReleasing)
                while turn.load(ordering: .acquiring) < 2 * (round + 1) {}
                if thread == 0 {
                    for _ in 0..<round % 61 { _ = turn.load(ordering: .relaxed) }
                    transfers[round].end(.success(response))
                } else {
                    transfers[round].whenEnded { begun[round].value.add(1, ordering: .relaxed) }
                }
            }
        }
        let wrong = begun.filter { $0.value.load(ordering: .relaxed) != 1 }.count
        expectEqual(wrong, 0)
    }

    @Test func `a transfer that is cancelled or paused as it begins does not run on`() async throws {
        let loader = StubLoader { _, _ in .silence }
        let request = HTTPRequest(url: URL(string: "http://a.example/")!)
        let rounds = Self.rounds / 50
        let queues = (0..<rounds).map { _ in HTTPTransferQueue(loader, width: 1, isSuspended: true) }
        let transfers = queues.map { $0.add(request) }
        let turn = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for round in 0..<rounds {
                turn.add(1, ordering: .acquiringAndReleasing)
                while turn.load(ordering: .acquiring) < 2 * (round + 1) {}
                if thread == 0 {
                    queues[round].resume()
                } else {
                    for _ in 0..<round % 997 * 5 { _ = turn.load(ordering: .relaxed) }
                    if round.isMultiple(of: 2) { transfers[round].cancel() } else { transfers[round].pause() }
                }
            }
        }
        for (round, transfer) in transfers.enumerated() {
            if !round.isMultiple(of: 2) {
                for await state in transfer.states where state == .paused { break }
                transfer.cancel()
            }
            await expectError(CancellationError.self) { try await transfer.response() }
        }
        // Each gives its slot back, once its end is told.
        for queue in queues { while queue.runningCount + queue.waitingCount > 0 { await Task.yield() } }
    }

    private final class Counter: Sendable { let value = Atomic<Int>(0) }
}
