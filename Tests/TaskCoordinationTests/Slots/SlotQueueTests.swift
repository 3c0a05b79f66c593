import Testing

@testable import TaskCoordination

@Suite struct SlotQueueTests {
    private struct Model {
        var waiters: [(id: SlotQueue<Int>.ID, name: Int, priority: UInt8)] = []
        let order: SlotOrder

        func best() -> Int? {
            waiters.indices.min { one, other in
                let (one, other) = (waiters[one], waiters[other])
                if one.priority != other.priority { return one.priority > other.priority }
                return order == .fifo ? one.name < other.name : one.name > other.name
            }
        }
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], 0..<10 as Range<UInt64>)
    func `the queue answers like a sorted list, also to late calls for ids that are gone`(
        order: SlotOrder, seed: UInt64
    ) {
        var random = XorShift(seed: seed)
        var queue = SlotQueue<Int>(order: order)
        var model = Model(order: order)
        var gone: [SlotQueue<Int>.ID] = []
        for name in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let priority = UInt8.random(in: 0..<6, using: &random)
                model.waiters.append((queue.insert(name, priority: priority), name, priority))
            case 2 where !model.waiters.isEmpty:
                let place = Int.random(in: model.waiters.indices, using: &random)
                let waiter = model.waiters.remove(at: place)
                #expect(queue.remove(waiter.id) == waiter.name)
                gone.append(waiter.id)
            case 3 where !model.waiters.isEmpty:
                let place = Int.random(in: model.waiters.indices, using: &random)
                let priority = UInt8.random(in: 0..<8, using: &random)
                queue.raise(model.waiters[place].id, to: priority)
                model.waiters[place].priority = max(model.waiters[place].priority, priority)
            default:
                let best = model.best().map { model.waiters.remove(at: $0) }
                #expect(queue.popFirst() == best?.name)
                if let best { gone.append(best.id) }
            }
            guard let late = gone.randomElement(using: &random) else { continue }
            #expect(queue.remove(late) == nil)
            queue.raise(late, to: 255)
            #expect(queue.count == model.waiters.count && queue.isEmpty == model.waiters.isEmpty)
        }
    }

    @Test(arguments: [SlotOrder.fifo, .lifo], 0..<10 as Range<UInt64>)
    func `those who have gone take no more room than those who wait`(order: SlotOrder, seed: UInt64) {
        var random = XorShift(seed: seed)
        var queue = SlotQueue<Int>(order: order)
        var ids: [SlotQueue<Int>.ID] = []
        var most = 0
        func expectLittleRoom() {
            most = max(most, queue.count)
            #expect(queue.placeCount.inLines <= 2 * queue.count + 3 * 17 && queue.placeCount.inRows <= most + 1)
        }
        for name in 0..<2_000 {
            ids.append(queue.insert(name, priority: UInt8.random(in: 0..<3, using: &random)))
            expectLittleRoom()
            let id = ids[.random(in: ids.indices, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: queue.remove(id)
            case 1: queue.raise(id, to: 2)
            default: _ = queue.popFirst()
            }
            expectLittleRoom()
        }
        _ = queue.removeAll()
        ids = (0..<500).map { queue.insert($0, priority: 0) }
        for id in ids {
            queue.raise(id, to: 1)
            queue.raise(id, to: 2)
            expectLittleRoom()
        }
    }

    @Test func `a name that was given up is not reserved`() async {
        await #expect(processExitsWith: .failure) {
            var queue = SlotQueue<Int>()
            let id = queue.reserve()
            queue.giveUp(id)
            queue.insert(1, as: id, priority: 1)
        }
    }

    @Test func `every priority of a task has its place`() {
        var queue = SlotQueue<TaskPriority>()
        let priorities: [TaskPriority] = [.low, .background, .high, .medium, .utility, .userInitiated]
        for priority in priorities { _ = queue.insert(priority, priority: priority.rawValue) }
        var order: [TaskPriority] = []
        while let next = queue.popFirst() { order.append(next) }
        #expect(order == [.high, .userInitiated, .medium, .low, .utility, .background])
    }

    @Test func `a lower priority does not move a waiter back`() {
        var queue = SlotQueue<Int>()
        let first = queue.insert(1, priority: 20)
        _ = queue.insert(2, priority: 10)
        queue.raise(first, to: 5)
        _ = queue.insert(3, priority: 15)
        #expect((0..<3).map { _ in queue.popFirst() } == [1, 3, 2])
    }

    @Test func `emptying the queue hands out every waiter and forgets the ids`() {
        var queue = SlotQueue<Int>()
        let ids = (1...6).map { queue.insert($0, priority: UInt8($0 % 3)) }
        #expect(queue.remove(ids[5]) == 6, "its row is free when the others' are given up")
        #expect(queue.removeAll().sorted() == [1, 2, 3, 4, 5])
        #expect(queue.isEmpty && ids.allSatisfy { queue.remove($0) == nil } && queue.popFirst() == nil)
        _ = queue.insert(6, priority: 1)
        #expect(ids.allSatisfy { queue.remove($0) == nil } && queue.popFirst() == 6)
    }
}
