// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The reader of a batch waits, leaves, is cancelled and becomes urgent.
@Suite(.balanced, .timeLimit(.minutes(1))) struct BatchReaderTests {
    /// Endless requests, and the number taken.
    private final class Endless: Sequence, Sendable {
        private let count = Mutex(0)
        var taken: Int { count.withLock { $0 } }

        func makeIterator() -> some IteratorProtocol<ImageRequest> {
            AnyIterator {
                let number = self.count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return ImageRequest.numbered(number)
            }
        }
    }

    @Test(arguments: seeds)
    func `a slow reader stops new loads, and gets the outcomes in the order of their landings`(seed: UInt64) {
        let scenario = PacedScenario(seed: seed)
        scenario.transport.open()
        let manager = scenario.manager
        let (gate, input) = (Gate(), Endless())
        let reader = Probe(on: scenario.executor) {
            var count = 0
            for await _ in manager.images(for: input, atOnce: 3) {
                count += 1
                if count == 2 { await gate.pass() }
                if count == 5 { break }
            }
            return count
        }
        scenario.executor.drain()
        expectAll(gate.arrivals == 1, reader.isRunning)
        expectEqual(input.taken, 4, "the one read first, and three that run or wait")
        expectEqual(scenario.transport.asked.count, 4)
        scenario.executor.open(gate)
        expectEqual([reader.value, input.taken], [5, 7])

        // Outcomes that wait for a slow reader are in the order of their landings.
        do {
            let scenario = PacedScenario(seed: seed)
            let manager = scenario.manager
            let gate = Gate()
            let reader = Probe(on: scenario.executor) {
                var seen: [Int] = []
                for await outcome in manager.images(for: (0..<4).map { .numbered($0) }) {
                    seen.append(outcome.index)
                    await gate.pass()
                }
                return seen
            }
            scenario.executor.drain()
            for number in [2, 3, 0, 1] {
                scenario.transport.release(number)
                scenario.executor.drain()
            }
            scenario.executor.open(gate)
            expectEqual(reader.value, [2, 3, 0, 1])
        }
    }

    @Test(arguments: seeds)
    func `a reader that leaves the loop or is cancelled ends the batch at once, and nothing leaks`(seed: UInt64) {
        // Leaving the loop cancels the running loads, and nothing leaks.
        let scenario = PacedScenario(seed: seed)
        let manager = scenario.manager
        let input = Endless()
        let reader = Probe(on: scenario.executor) {
            for await outcome in manager.images(for: input, atOnce: 4) { return outcome.index }
            return -1
        }
        scenario.executor.drain()
        scenario.transport.release(2)
        scenario.executor.drain()
        expectEqual(reader.value, 2)
        expectAll(Set(scenario.transport.cancelled) == [0, 1, 3], scenario.transport.held.isEmpty)
        expectEqual([input.taken, scenario.flights], [4, 0])

        // Cancelling the reader ends the batch at once.
        do {
            let scenario = PacedScenario(seed: seed)
            let manager = scenario.manager
            let input = Endless()
            let reader = Probe(on: scenario.executor) {
                var count = 0
                for await _ in manager.images(for: input, atOnce: 4) { count += 1 }
                return (count, Task.isCancelled)
            }
            let steps = scenario.executor.run(steps: Int(seed % 60))
            reader.cancel()
            scenario.executor.drain()
            expectEqual(reader.value?.0, 0)
            expectEqual(reader.value?.1, true)
            expect(steps > 0 || input.taken == 0, "a cancelled reader takes nothing")
            expectAll(scenario.transport.held.isEmpty, scenario.flights == 0)
            expectEqual(scenario.transport.cancelled.sorted(), scenario.transport.asked.sorted())
        }
    }

    @Test(arguments: seeds)
    func `a batch without a reader loads nothing, and one that has ended stays ended`(seed: UInt64) {
        let scenario = PacedScenario(seed: seed)
        let manager = scenario.manager
        let input = Endless()
        scenario.run { _ = manager.images(for: input).makeAsyncIterator() }
        expectAll(input.taken == 0, scenario.transport.asked.isEmpty)

        // An iterator that has ended stays ended.
        do {
            let scenario = PacedScenario(seed: seed)
            scenario.transport.open()
            let manager = scenario.manager
            let input = Mutex(0)
            let ends = scenario.run {
                // An input that starts again when it is read after its end.
                let requests = AnyIterator { () -> ImageRequest? in
                    let number = input.withLock { number in
                        number += 1
                        return number
                    }
                    return number == 2 ? nil : .numbered(number)
                }
                var iterator = manager.images(for: requests, atOnce: 1).makeAsyncIterator()
                var isEnd: [Bool] = []
                for _ in 0..<4 { isEnd.append(await iterator.next() == nil) }
                return isEnd
            }
            expectEqual(ends, [false, true, true, true])
            expectEqual(input.withLock { $0 }, 2)
        }
    }

    @Test(arguments: seeds) func `the loads of a batch rise with the reading task, at any time`(seed: UInt64) {
        let scenario = PacedScenario(seed: seed, downloads: 1)
        let manager = scenario.manager
        let blocker = scenario.load(0)
        scenario.executor.drain()
        let others = (1...2).map { scenario.load($0) }
        scenario.executor.drain()
        let reader = Probe(on: scenario.executor, priority: .low) {
            let requests = (3...4).map { number in
                var request = ImageRequest.numbered(number)
                request.priority = .low
                return request
            }
            for await _ in manager.images(for: requests) {}
        }
        scenario.executor.run(steps: Int(seed % 12))
        reader.escalate(to: .high)
        scenario.executor.drain()
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(Set(scenario.transport.asked.dropFirst().prefix(2)), [3, 4])
        expectAll(blocker.value != nil, others.allSatisfy { $0.value != nil }, !reader.isRunning)
    }
}
