// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// The state machine against a model that keeps a plain list of callers, late calls included.
@Suite(.replayed) struct FlightStateMachineTests {
    private typealias Machine = FlightStateMachine<Int>

    /// What the diagram says, as one value for each thing that is known of a flight.
    private struct Model {
        var isRunning = false
        var isOver = false
        var isAbandoned = false
        var isDetached = false
        var hasReturned = false
        var priority: UInt8 = 10
        var reports = 0
        var callers: [Int] = []

        mutating func end(abandoned: Bool) -> [Int] {
            defer { (isOver, isAbandoned, callers) = (true, abandoned, []) }
            return callers
        }
    }

    @Test(arguments: seeds) func `each step answers like the model, in every order and also when it comes too late`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var (machine, model) = (Machine(priority: 10), Model())
        var lastNumber = 0
        // Under each third seed the flight lives longer, so that more happens to it before its end.
        let ends = seed.isMultiple(of: 3) ? 40 : 8
        for step in 0..<120 {
            let number = Int.random(in: 0...lastNumber + 1, using: &random)
            let priority = UInt8.random(in: 0..<30, using: &random)
            switch Int.random(in: 0..<(step < ends ? 6 : 9), using: &random) {
            case 0, 1:
                lastNumber += model.isOver ? 0 : 1
                #expect(machine.join(lastNumber) == (model.isOver ? nil : lastNumber))
                if !model.isOver { model.callers.append(lastNumber) }
            case 2 where model.callers != [number] || step > ends:
                let leaves = model.callers.contains(number)
                model.callers.removeAll { $0 == number }
                let isLast = leaves && model.callers.isEmpty
                expect(machine.leave(number), isLast ? .abandon([number]) : leaves ? .dismiss(number) : .nothing)
                if isLast { _ = model.end(abandoned: true) }
            case 3:
                let starts = !model.isRunning && !model.isOver
                #expect(machine.start() == (starts ? model.priority : nil))
                if starts { model.isRunning = true }
            case 4:
                let rises = !model.isOver && priority > model.priority
                expect(machine.rise(to: priority), rises ? .raise(to: priority) : .nothing)
                if rises { model.priority = priority }
                let isToEnd = model.isAbandoned || model.isDetached && !model.hasReturned
                let isBehind = !model.isOver && model.priority > priority
                expect(
                    machine.began(at: priority),
                    isToEnd ? .abandon([]) : isBehind ? .raise(to: model.priority) : .nothing)
            case 5:
                let other = Bool.random(using: &random) ? Int.random(in: 0..<model.reports + 3, using: &random) : nil
                let number = other ?? model.reports + 1
                let isHeard = !model.isOver && number > model.reports
                let report = machine.report(number: other)
                #expect(report?.number == (isHeard ? number : nil))
                #expect(report.map { Array($0.callers) } == (isHeard ? model.callers : nil))
                if isHeard { model.reports = number }
            case 6:
                let action = machine.land()
                if model.hasReturned {
                    expect(action, .nothing)
                } else if model.isDetached {
                    expect(action, .returned)
                } else if model.isOver {
                    expect(action, .unwound)
                } else {
                    expect(action, .deliver(list(model.end(abandoned: false))))
                }
                model.hasReturned = true
            case 7:
                let ends = !model.isOver
                expect(machine.cancelAll(), ends ? .abandon(list(model.end(abandoned: true))) : .nothing)
            case 8:
                let isWorking = model.isRunning && !model.hasReturned && !model.isDetached
                let callers = model.isOver ? [] : model.callers
                expect(machine.detach(), isWorking ? .release(list(callers)) : .nothing)
                guard isWorking else { break }
                _ = model.end(abandoned: model.isAbandoned)
                model.isDetached = true
            default: break
            }
            #expect(machine.isOver == model.isOver)
            #expect(machine.priority == model.priority)
            #expect(Array(machine.callers) == model.callers)
        }
    }

    /// Every order of what may come together at the end of a flight: the callers are told once, and the operation is
    /// counted out once.
    @Test func `in every order of the ends, each caller is told once and the operation is over once`() {
        let ends: [(inout Machine) -> Machine.Action] = [
            { $0.leave(1) }, { $0.leave(2) }, { $0.cancelAll() }, { $0.land() }, { $0.detach() },
        ]
        for order in permutations(of: Array(ends.indices)) {
            var machine = Machine(priority: 1)
            _ = machine.join(1)
            _ = machine.join(2)
            #expect(machine.start() == 1)
            var (told, finished, returned) = ([Int](), 0, 0)
            for end in order {
                switch ends[end](&machine) {
                case .dismiss(let caller): told.append(caller)
                case .abandon(let callers): told += callers
                case .deliver(let callers), .release(let callers):
                    told += callers
                    finished += 1
                case .unwound: finished += 1
                case .returned: returned += 1
                case .nothing, .raise: break
                }
            }
            let isDetached = order.firstIndex(of: 4)! < order.firstIndex(of: 3)!
            #expect(told.sorted() == [1, 2], "order \(order)")
            #expect(finished == 1, "order \(order)")
            #expect(returned == (isDetached ? 1 : 0), "order \(order)")
        }
    }

    private func list(_ callers: [Int]) -> ArrivalList<Int> {
        callers.reduce(into: []) { _ = $0.append($1) }
    }

    private func permutations(of elements: [Int]) -> [[Int]] {
        guard elements.count > 1 else { return [elements] }
        return elements.flatMap { first in
            permutations(of: elements.filter { $0 != first }).map { [first] + $0 }
        }
    }

    private func expect(
        _ action: Machine.Action, _ expected: Machine.Action, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(words(for: action) == words(for: expected), sourceLocation: sourceLocation)
    }

    /// The name of an action, and whom it is for, whatever their numbers in the list.
    private func words(for action: Machine.Action) -> String {
        switch action {
        case .abandon(let callers): "abandon \(Array(callers))"
        case .deliver(let callers): "deliver \(Array(callers))"
        case .release(let callers): "release \(Array(callers))"
        default: "\(action)"
        }
    }
}
