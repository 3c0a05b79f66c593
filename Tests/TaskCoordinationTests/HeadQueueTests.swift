// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

@Suite(.replayed) struct HeadQueueTests {
    @Test(arguments: Seeds.first(20)) func `does what an array does, with two places for an element at most`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var queue = HeadQueue<Int>()
        var model: [Int] = []
        // The queue grows, shrinks and stays, in turns.
        for number in 0..<3_000 {
            if Int.random(in: 0..<3, using: &random) < [1, 2, 1, 0][number / 100 % 4] {
                queue.append(number)
                model.append(number)
            } else {
                expectEqual(queue.popFirst(), (model.isEmpty ? nil : model.removeFirst()))
            }
            expectAll(queue.count == model.count, queue.first == model.first)
            expect(queue.placeCount, <=, 2 * model.count)
        }
    }

    @Test(arguments: [1, 2, 40])
    func `memory follows the elements, also in a queue that is never empty, and frees those that leave`(waiting: Int) {
        var queue = HeadQueue<Int>()
        for number in 0..<waiting { queue.append(number) }
        for number in waiting..<10_000 {
            queue.append(number)
            expectAll(queue.popFirst() == number - waiting, queue.placeCount <= 2 * queue.count)
        }

        // An element is released when it leaves, while others wait.
        do {
            final class Witness {}
            var queue = HeadQueue<Witness>()
            weak var first: Witness?
            do {
                let witness = Witness()
                first = witness
                queue.append(witness)
            }
            for _ in 0..<9 { queue.append(Witness()) }
            expect(first != nil)
            _ = queue.popFirst()
            expectNil(first)
            expectEqual(queue.placeCount, 10)
        }
    }
}
