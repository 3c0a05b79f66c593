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
        var hasReturned = false
        var priority: UInt8 = 10
        var floor: UInt8 = 0
        var reports = 0
        var callers: [Int] = []
        var asked: [Int: UInt8] = [:]

        /// What follows when the most urgent caller has changed from one priority to another.
        mutating func follow(_ before: UInt8, _ now: UInt8) -> UInt8? {
            let highest = callers.map { asked[$0]! }.reduce(floor, max)
            let next = before == priority && now < before ? highest : max(priority, now)
            defer { priority = next }
            return next == priority ? nil : next
        }

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
            switch Int.random(in: 0..<(step < ends ? 6 : 8), using: &random) {
            case 0, 1:
                lastNumber += model.isOver ? 0 : 1
                expectEqual(machine.join(lastNumber, priority), (model.isOver ? nil : lastNumber))
                let rises = !model.isOver && priority > model.priority
                expect(machine.rise(to: priority), rises ? .move(to: priority) : .nothing)
                if rises { model.priority = priority }
                if !model.isOver { model.callers.append(lastNumber) }
                model.asked[lastNumber] = model.isOver ? model.asked[lastNumber] : priority
            case 2 where model.callers != [number] || step > ends:
                let leaves = model.callers.contains(number)
                model.callers.removeAll { $0 == number }
                let isLast = leaves && model.callers.isEmpty
                let sunk = leaves && !isLast ? model.follow(model.asked[number]!, 0) : nil
                expect(
                    machine.leave(number),
                    isLast ? .abandon(list([number])) : leaves ? .dismiss(number, sinkingTo: sunk) : .nothing)
                if isLast { _ = model.end(abandoned: true) }
            case 3:
                let starts = !model.isRunning && !model.isOver
                expectEqual(machine.start(), (starts ? model.priority : nil))
                if starts { model.isRunning = true }
            case 4:
                let holds = Int.random(in: 0..<8, using: &random) == 0
                let isWaiting = model.callers.contains(number)
                if holds {
                    model.floor = max(model.floor, priority)
                    let rises = !model.isOver && priority > model.priority
                    expect(machine.hold(at: priority), rises ? .move(to: priority) : .nothing)
                    if rises { model.priority = priority }
                } else {
                    let raises = Bool.random(using: &random)
                    let before = model.asked[number] ?? 0
                    let changes = isWaiting && (!raises || before < priority)
                    if changes { model.asked[number] = priority }
                    let next = changes ? model.follow(before, priority) : nil
                    let action = raises ? machine.raise(number, to: priority) : machine.move(number, to: priority)
                    expect(action, next.map { .move(to: $0) } ?? .nothing)
                }
                let isToEnd = model.isAbandoned && !model.hasReturned
                let isElsewhere = !model.isOver && model.priority != priority
                expect(
                    machine.began(at: priority),
                    isToEnd ? .abandon([]) : isElsewhere ? .move(to: model.priority) : .nothing)
            case 5:
                let report = machine.report()
                expectEqual(report?.number, (model.isOver ? nil : model.reports + 1))
                expectEqual(report.map { $0.callers.map(\.caller) }, (model.isOver ? nil : model.callers))
                if !model.isOver { model.reports += 1 }
            case 6:
                let action = machine.land()
                if model.hasReturned {
                    expect(action, .nothing)
                } else {
                    expect(action, .deliver(list(model.end(abandoned: model.isAbandoned))))
                }
                model.hasReturned = true
            case 7:
                let ends = !model.isOver
                expect(machine.cancelAll(), ends ? .abandon(list(model.end(abandoned: true))) : .nothing)
            default: break
            }
            expectEqual(machine.isOver, model.isOver)
            expectEqual(machine.priority, model.priority)
            expectEqual(machine.callers.map(\.caller), model.callers)
        }
    }

    private func list(_ callers: [Int]) -> ArrivalList<Machine.Entry> {
        callers.reduce(into: []) { _ = $0.append(Machine.Entry($1, 0)) }
    }

    private func expect(
        _ action: Machine.Action, _ expected: Machine.Action, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(words(for: action) == words(for: expected), sourceLocation: sourceLocation)
    }

    /// The name of an action, and whom it is for, whatever their numbers in the list.
    private func words(for action: Machine.Action) -> String {
        switch action {
        case .abandon(let callers): "abandon \(callers.map(\.caller))"
        case .deliver(let callers): "deliver \(callers.map(\.caller))"
        default: "\(action)"
        }
    }
}
