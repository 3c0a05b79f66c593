import TaskCoordination
import Testing

@Suite struct SlotQueueTests {
    private struct Model {
        var waiters: [(id: UInt64, priority: UInt8, arrival: Int)] = []
        let order: SlotOrder

        func best() -> Int? {
            waiters.indices.min { one, other in
                let (one, other) = (waiters[one], waiters[other])
                if one.priority != other.priority { return one.priority > other.priority }
                return order == .fifo ? one.arrival < other.arrival : one.arrival > other.arrival
            }
        }
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], 0..<10 as Range<UInt64>)
    func `the heap answers like a sorted list, also to late calls for ids that are gone`(
        order: SlotOrder, seed: UInt64
    ) {
        var random = XorShift(seed: seed)
        var queue = SlotQueue<UInt64>(order: order)
        var model = Model(order: order)
        var gone: [UInt64] = [.max]
        for step in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let priority = UInt8.random(in: 0..<6, using: &random)
                queue.insert(UInt64(step), id: UInt64(step), priority: priority)
                model.waiters.append((UInt64(step), priority, step))
            case 2 where !model.waiters.isEmpty:
                let place = Int.random(in: model.waiters.indices, using: &random)
                let id = model.waiters.remove(at: place).id
                #expect(queue.remove(id) == id)
                gone.append(id)
            case 3 where !model.waiters.isEmpty:
                let place = Int.random(in: model.waiters.indices, using: &random)
                let priority = UInt8.random(in: 0..<8, using: &random)
                queue.raise(model.waiters[place].id, to: priority)
                model.waiters[place].priority = max(model.waiters[place].priority, priority)
            default:
                let best = model.best().map { model.waiters.remove(at: $0).id }
                let first = queue.popFirst()
                #expect(first?.id == best && first?.waiter == best)
                if let best { gone.append(best) }
            }
            let late = gone[Int.random(in: gone.indices, using: &random)]
            #expect(queue.remove(late) == nil)
            queue.raise(late, to: 255)
            #expect(queue.count == model.waiters.count && queue.isEmpty == model.waiters.isEmpty)
        }
    }

    @Test func `every priority of a task has its place`() {
        var queue = SlotQueue<TaskPriority>()
        let priorities: [TaskPriority] = [.low, .background, .high, .medium, .utility, .userInitiated]
        for (id, priority) in priorities.enumerated() {
            queue.insert(priority, id: UInt64(id), priority: priority.rawValue)
        }
        var order: [TaskPriority] = []
        while let next = queue.popFirst() { order.append(next.waiter) }
        #expect(order == [.high, .userInitiated, .medium, .low, .utility, .background])
    }

    @Test func `a lower priority does not move a waiter back`() {
        var queue = SlotQueue<Int>()
        queue.insert(1, id: 1, priority: 20)
        queue.insert(2, id: 2, priority: 10)
        queue.raise(1, to: 5)
        queue.insert(3, id: 3, priority: 15)
        #expect((0..<3).map { _ in queue.popFirst()?.id } == [1, 3, 2])
    }

    @Test func `emptying the queue hands out every waiter and forgets the ids`() {
        var queue = SlotQueue<Int>()
        for id in 1...5 { queue.insert(id, id: UInt64(id), priority: UInt8(id % 3)) }
        #expect(queue.removeAll().sorted() == [1, 2, 3, 4, 5])
        #expect(queue.isEmpty && queue.remove(3) == nil && queue.popFirst() == nil)
        queue.insert(6, id: 3, priority: 1)
        #expect(queue.popFirst()?.waiter == 6)
    }
}
