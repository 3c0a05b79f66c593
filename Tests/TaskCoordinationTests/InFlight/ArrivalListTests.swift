// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

@Suite(.replayed) struct ArrivalListTests {
    @Test(arguments: Seeds.first(20))
    func `the list answers like a sorted array, also when an element is taken out twice`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = ArrivalList<Int>()
        var model: [(number: Int, element: Int)] = []
        var gone = [0, -1, .max]
        // Under every other seed the list is short, and often empty.
        let isShort = seed.isMultiple(of: 2)
        for step in 0..<1_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<(isShort ? 2 : step < 500 ? 5 : 3):
                let number = list.append(step)
                expect(!gone.contains(number), "a number is given once")
                expect(!model.contains { $0.number == number }, "a number is given once")
                model.append((number, step))
            case 5 where gone.count > 3:
                // An element that comes back, as one that is raised from another line does.
                let number = gone.remove(at: Int.random(in: 3..<gone.count, using: &random))
                list.insert(-step, number: number)
                model.insert((number, -step), at: model.firstIndex { $0.number > number } ?? model.count)
            case 6:
                expectEqual(list.first?.element, model.first?.element)
                if model.isEmpty { break }
                gone.append(model.removeFirst().number)
                expect(list.remove(gone[gone.count - 1]) != nil)
            case 7:
                expectEqual(list.last?.element, model.last?.element)
                if model.isEmpty { break }
                gone.append(model.removeLast().number)
                expect(list.remove(gone[gone.count - 1]) != nil)
            case 8 where !model.isEmpty:
                let taken = model.remove(at: Int.random(in: model.indices, using: &random))
                expectEqual(list.remove(taken.number), taken.element)
                gone.append(taken.number)
            case 9 where step.isMultiple(of: 20):
                gone += model.map(\.number)
                expectEqual(Array(list.removeAll()), model.map(\.element))
                model = []
            default: break
            }
            expectNil(list.remove(gone[Int.random(in: gone.indices, using: &random)]))
            expectEqual(list.count, model.count)
            expectEqual(list.isEmpty, model.isEmpty)
            expectEqual(Array(list), model.map(\.element))
        }
        expectEqual(list.first?.element, model.first?.element)
        expectEqual(Array(list.removeAll()), model.map(\.element))
        expect(list.isEmpty)
        expectNil(list.first)
        expectNil(list.last)
    }

    @Test(arguments: [1, 2, 40]) func `memory follows the elements that are present`(staying: Int) {
        var list = ArrivalList<Int>()
        for element in 0..<staying { _ = list.append(element) }
        for element in 0..<10_000 {
            let number = list.append(element)
            expect(list.entries.count, <=, 2 * list.count + 17)
            expectEqual(list.remove(number), element)
            expectEqual(list.count, staying)
        }
    }
}
