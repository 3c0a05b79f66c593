// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite struct WorkCountTests {
    @Test(arguments: seeds)
    func `the count answers like the model, each wait ends once, and every waiting task goes on after the last work`(
        seed: UInt64
    ) {
        // The count answers like the model, and each wait ends once.
        // The count against a number and a list of waits.
        var random = SeededGenerator(seed: seed)
        var work = WorkCount()
        var (count, waits) = (0, [OneShot<Void>]())
        for _ in 0..<200 {
            let amount = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                if amount == 1 { work.begin() } else { work.begin(amount) }
                count += amount
            case 2, 3,
                4 where count >= amount && count > 0:
                let ended = amount == 1 ? work.end() : work.end(amount)
                count -= amount
                expectSame(ended, count == 0 ? waits : [])
                if count == 0 { waits = [] }
            case 5, 6:
                let wait = work.untilIdle()
                expectEqual((wait == nil), (count == 0))
                if let wait { waits.append(wait) }
            case 7 where amount == 0:
                expectSame(work.takeWaiting(), waits)
                waits = []
            default: break
            }
            expectEqual(work.value, count)
            expectEqual(work.waiterCount, waits.count)
        }

        // Every task that waits goes on when the last work has ended.
        do {
            let executor = SeededExecutor(seed: seed)
            var work = WorkCount()
            work.begin(2)
            let waits = (0..<3).compactMap { _ in work.untilIdle() }
            let tasks = waits.map { wait in Probe(on: executor) { await wait.wait() } }
            work.end().resume()
            executor.drain()
            expect(tasks.allSatisfy { $0.isRunning })
            let last = work.end()
            let resumer = Probe(on: executor) { last.resume() }
            executor.drain()
            expectAll(tasks.allSatisfy { $0.value != nil }, resumer.value != nil)
        }
    }

    private func expectSame(
        _ waits: [OneShot<Void>], _ expected: [OneShot<Void>], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(waits.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init), sourceLocation: sourceLocation)
    }
}
