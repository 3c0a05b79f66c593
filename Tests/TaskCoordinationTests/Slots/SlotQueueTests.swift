// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

@Suite(.replayed) struct SlotQueueTests {
    private struct Model {
        var waiters: [(name: Int, priority: UInt8)] = []
        let order: SlotOrder

        func best() -> Int? {
            waiters.indices.min { one, other in
                let (one, other) = (waiters[one], waiters[other])
                if one.priority != other.priority { return one.priority > other.priority }
                return order == .fifo ? one.name < other.name : one.name > other.name
            }
        }
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], Seeds.first(10))
    func `the queue answers like a sorted list, also to late calls for numbers that are gone`(
        order: SlotOrder, seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var queue = SlotQueue<Int>(order: order)
        var model = Model(order: order)
        var gone: [Int] = []
        for name in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let priority = UInt8.random(in: 0..<6, using: &random)
                queue.insert(name, number: name, priority: priority)
                model.waiters.append((name, priority))
            case 2 where !model.waiters.isEmpty:
                let place = Int.random(in: model.waiters.indices, using: &random)
                let waiter = model.waiters.remove(at: place)
                expectEqual(queue.remove(waiter.name), waiter.name)
                gone.append(waiter.name)
            case 3 where !model.waiters.isEmpty:
                let place = Int.random(in: model.waiters.indices, using: &random)
                let priority = UInt8.random(in: 0..<8, using: &random)
                if name.isMultiple(of: 2) {
                    queue.raise(model.waiters[place].name, to: priority)
                    model.waiters[place].priority = max(model.waiters[place].priority, priority)
                } else {
                    queue.move(model.waiters[place].name, to: priority)
                    model.waiters[place].priority = priority
                }
            default:
                let best = model.best().map { model.waiters.remove(at: $0) }
                expectEqual(queue.first, best?.name)
                expectEqual(queue.firstPriority, best?.priority)
                expectEqual(queue.popFirst(), best?.name)
                if let best { gone.append(best.name) }
            }
            guard let late = gone.randomElement(using: &random) else { continue }
            expectNil(queue.remove(late))
            queue.raise(late, to: 255)
            queue.move(late, to: 255)
            expectEqual(queue.count, model.waiters.count)
            expectEqual(queue.isEmpty, model.waiters.isEmpty)
        }
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], Seeds.first(10))
    func `waiters that have gone take no more room than those that wait`(order: SlotOrder, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = SlotQueue<Int>(order: order)
        func expectLittleRoom() { expect(queue.placeCount, <=, 2 * queue.count + 3 * 17) }
        for name in 0..<2_000 {
            queue.insert(name, number: name, priority: UInt8.random(in: 0..<3, using: &random))
            expectLittleRoom()
            let number = Int.random(in: 0...name, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: queue.remove(number)
            case 1: queue.raise(number, to: 2)
            default: _ = queue.popFirst()
            }
            expectLittleRoom()
        }
        _ = queue.removeAll()
        for name in 3_000..<3_500 { queue.insert(name, number: name, priority: 0) }
        for name in 3_000..<3_500 {
            queue.raise(name, to: 1)
            queue.raise(name, to: 2)
            expectLittleRoom()
        }
    }

    @Test func `priorities have their places, none moves a waiter back, and emptying the queue forgets the numbers`() {
        // Every priority of a task has its place.
        var queue = SlotQueue<TaskPriority>()
        let priorities: [TaskPriority] = [.low, .background, .high, .medium, .utility, .userInitiated]
        for (number, priority) in priorities.enumerated() {
            queue.insert(priority, number: number, priority: priority.rawValue)
        }
        var order: [TaskPriority] = []
        while let next = queue.popFirst() { order.append(next) }
        expectEqual(order, [.high, .userInitiated, .medium, .low, .utility, .background])

        // A lower priority does not move a waiter back.
        do {
            var queue = SlotQueue<Int>()
            queue.insert(1, number: 1, priority: 20)
            queue.insert(2, number: 2, priority: 10)
            queue.raise(1, to: 5)
            queue.insert(3, number: 3, priority: 15)
            expectEqual((0..<3).map { _ in queue.popFirst() }, [1, 3, 2])
        }

        // Emptying the queue hands out every waiter and forgets the numbers.
        do {
            var queue = SlotQueue<Int>()
            for number in 1...6 { queue.insert(number, number: number, priority: UInt8(number % 3)) }
            expectEqual(queue.remove(6), 6)
            expectEqual(queue.removeAll { $0 < 3 }.sorted(), [1, 2])
            expectEqual(queue.removeAll().sorted(), [3, 4, 5])
            expect(queue.isEmpty)
            expectNil(queue.popFirst())
            queue.insert(7, number: 7, priority: 1)
            for number in 1...6 { expectNil(queue.remove(number)) }
            expectEqual(queue.popFirst(), 7)
        }
    }
}
