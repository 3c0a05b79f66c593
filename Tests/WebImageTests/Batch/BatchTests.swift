// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct BatchTests {
    @Test(arguments: seeds) func `every request yields one outcome that names it`(seed: UInt64) {
        let scenario = PacedScenario(seed: seed)
        scenario.transport.open()
        let manager = scenario.manager
        let outcomes = scenario.run {
            var outcomes: [ImageOutcome<ImageResponse>] = []
            let requests = [7, 8, 7, 9].map { ImageRequest.numbered($0) }
            for await outcome in manager.images(for: requests, atOnce: 2) { outcomes.append(outcome) }
            return outcomes
        }
        let sorted = (outcomes ?? []).sorted { $0.index < $1.index }
        expectEqual(sorted.map(\.index), [0, 1, 2, 3])
        expectEqual(sorted.map { $0.request.url.lastPathComponent }, ["7.png", "8.png", "7.png", "9.png"])
        expectEqual(sorted.map { ImageFactory.seed(of: (try? $0.result.get())!.image) }, [7, 8, 7, 9])
        expectEqual(scenario.transport.asked.count, 3, "equal requests share a load, or find the picture in memory")
    }

    @Test(arguments: seeds) func `no more loads run at once than allowed, and each end makes room`(seed: UInt64) {
        let scenario = PacedScenario(seed: seed)
        let journal = Journal<Int>()
        let reader = Self.read(0..<12, atOnce: 3, in: scenario, journal)
        scenario.executor.drain()
        for ended in 1...12 {
            expectEqual(scenario.transport.held.count, min(3, 13 - ended))
            scenario.transport.release()
            scenario.executor.drain()
            expectEqual(journal.count, ended)
        }
        expectAll(!reader.isRunning, scenario.transport.peak == 3)
    }

    @Test(arguments: seeds)
    func `a batch goes on after failures, and after loads that the manager cancels, which are outcomes`(seed: UInt64) {
        // One failure does not end the batch.
        let scenario = PacedScenario(seed: seed, answer: StubTransport.picture(missing: [1, 3]))
        scenario.transport.open()
        let manager = scenario.manager
        let failed = scenario.run {
            var failed: [Int: Bool] = [:]
            for await outcome in manager.images(for: (0..<6).map { .numbered($0) }, atOnce: 2) {
                failed[outcome.index] = (try? outcome.result.get()) == nil
            }
            return failed
        }
        expectEqual(failed, [0: false, 1: true, 2: false, 3: true, 4: false, 5: false])

        // Loads that the manager cancels are outcomes, and the batch continues.
        do {
            let scenario = PacedScenario(seed: seed)
            let manager = scenario.manager
            let results = Probe(on: scenario.executor) {
                var cancelled: [Int: Bool] = [:]
                for await outcome in manager.images(for: (0..<4).map { .numbered($0) }, atOnce: 2) {
                    cancelled[outcome.index] = outcome.result.isCancelled
                }
                return cancelled
            }
            scenario.executor.drain()
            scenario.run { manager.cancelAll() }
            scenario.transport.open()
            scenario.executor.drain()
            expectEqual(results.value, [0: true, 1: true, 2: false, 3: false])
        }
    }

    @Test(arguments: seeds) func `files come as pictures do, in the format of the call`(seed: UInt64) {
        let scenario = PacedScenario(seed: seed, answer: StubTransport.picture(missing: [3]))
        let manager = scenario.manager
        let reader = Probe(on: scenario.executor) {
            var formats: [Int: String] = [:]
            let requests = [1, 2, 1, 3].map { ImageRequest.numbered($0) }
            for await outcome in manager.encodedImages(for: requests, as: .jpeg(), atOnce: 2) {
                formats[outcome.index] = (try? outcome.result.get().format.name) ?? "none"
            }
            return formats
        }
        scenario.executor.drain()
        expectEqual(scenario.transport.held.count, 2)
        scenario.transport.open()
        scenario.executor.drain()
        expectEqual(reader.value, [0: "jpeg", 1: "jpeg", 2: "jpeg", 3: "none"])
        expectEqual(scenario.transport.asked.count, 3)
    }

    @Test func `thirty thousand requests pass through a window, each once`() {
        let scenario = PacedScenario(seed: 1)
        scenario.transport.open()
        let manager = scenario.manager
        let seen = scenario.run {
            var seen = Set<Int>()
            for await outcome in manager.images(for: (0..<30_000).lazy.map { .numbered($0 % 10) }) {
                seen.insert(outcome.index)
                expect(scenario.executor.pending, <=, 40, "the window bounds the number of tasks")
            }
            return seen
        }
        expectEqual(seen?.count, 30_000)
        expectEqual(scenario.transport.asked.count, 10)
    }

    /// Reads a batch to its end and notes the order.
    private static func read(
        _ numbers: Range<Int>, atOnce limit: Int = 12, in scenario: PacedScenario, _ journal: Journal<Int>
    ) -> Probe<Void> {
        let manager = scenario.manager
        return Probe(on: scenario.executor) {
            for await outcome in manager.images(for: numbers.map { .numbered($0) }, atOnce: limit) {
                journal.write(outcome.index)
            }
        }
    }
}

extension Result where Failure == any Error {
    var isCancelled: Bool {
        if case .failure(is CancellationError) = self { true } else { false }
    }
}
