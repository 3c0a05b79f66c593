// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

/// Which of the flights in the queue gets the next slot, and at which priority it runs.
@Suite(.balanced) struct FlightSlotsPriorityTests {
    enum Route: CaseIterable {
        case joins, joinsWithExplicitPriority, isEscalated, isAwaited, isRaised
        case joinsBeforeItsPlace, isEscalatedBeforeItsPlace, isRaisedBeforeItsPlace, wasEscalatedBeforeTheCall
    }

    @Test(arguments: seeds) func `some flights are raised together, and the others keep their places`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let flights = InFlight<Int, Int, Int>(name: "test", executor: executor, slots: Slots(limit: 1))
        let (gate, begun) = (Gate(), Journal<Int>())
        let callers = (0..<4).map { key in
            let caller = Probe(on: executor, priority: .low) {
                try await flights.value(for: key) { _ in
                    begun.write(key)
                    if key == 0 { await gate.pass() }
                    return key
                }
            }
            executor.drain()
            return caller
        }
        flights.escalate(to: .high) { $0 > 1 }
        executor.open(gate)
        expectEqual(begun.entries, [0, 2, 3, 1])
        expectEqual(callers.map(\.value), [0, 1, 2, 3])
    }

    @Test(arguments: Route.allCases, seeds)
    func `no inversion in the queue: a flight without a task moves forward with its callers and runs as they ask`(
        route: Route, seed: UInt64
    ) {
        let (slots, gate, callers) = (Slots(limit: 1), Gate(), Journal<Probe<Int>>())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let (executor, flights) = (scenario.executor, scenario.flights)
        let blocker = hold(slots, gate, on: executor)
        let medium = call("medium", .medium, scenario)
        executor.drain()
        let slow = call("slow", .low, scenario) {
            switch route {
            case .joinsBeforeItsPlace:
                let joiner = Task.immediate(priority: .high, executorPreference: executor) {
                    try await flights.value(for: "slow") { _ in 2 }
                }
                callers.write(Probe(on: executor) { try await joiner.value })
            case .isEscalatedBeforeItsPlace: callers.entries[0].escalate(to: .high)
            case .isRaisedBeforeItsPlace: flights.escalate("slow", to: .high)
            default: break
            }
        }
        callers.write(slow)
        if route == .wasEscalatedBeforeTheCall { slow.escalate(to: .high) }
        executor.drain()
        switch route {
        case .joins: callers.write(call("slow", .high, scenario))
        case .joinsWithExplicitPriority: callers.write(call("slow", .low, asking: .high, scenario))
        case .isEscalated: slow.escalate(to: .high)
        case .isAwaited: callers.write(Probe(on: executor, priority: .high) { try await slow.finish() })
        case .isRaised: flights.escalate("slow", to: .high)
        default: break
        }
        executor.drain()
        expectEqual(slots.queued, 2)
        executor.open(gate)
        expectEqual(scenario.journal.entries, ["slow at 25", "medium at 21"])
        expectEqual(medium.value, 1)
        expectAll(callers.entries.allSatisfy { $0.value == 1 }, blocker.value != nil)
    }

    @Test(arguments: seeds)
    func `a queued flight has the place of its most urgent caller, or of what was asked for it`(seed: UInt64) {
        // A queued flight sinks to its other callers when the urgent one leaves, but not below what was asked for it.
        let (slots, gate) = (Slots(limit: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let callers = [call("medium", .medium, scenario), call("slow", .low, scenario)]
        scenario.executor.drain()
        let urgent = call("slow", .high, scenario)
        scenario.executor.drain()
        urgent.cancel()
        let held = call("held", .low, scenario)
        scenario.executor.drain()
        scenario.flights.escalate("held", to: .high)
        let other = call("held", .high, scenario)
        scenario.executor.drain()
        other.cancel()
        scenario.executor.drain()
        scenario.executor.open(gate)
        expectAll(urgent.wasCancelled, other.wasCancelled, held.value == 1)
        expectEqual(scenario.journal.entries, ["held at 25", "medium at 21", "slow at 17"])
        expectAll(callers.allSatisfy { $0.value == 1 }, blocker.value != nil)

        // An explicit priority below the caller's own decides its flight's place.
        do {
            let (slots, gate) = (Slots(limit: 1), Gate())
            let scenario = FlightScenario(seed: seed, slots: slots)
            let blocker = hold(slots, gate, on: scenario.executor)
            let callers = [call("modest", .high, asking: .low, scenario), call("medium", .medium, scenario)]
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual(scenario.journal.entries, ["medium at 21", "modest at 17"])
            expectAll(callers.allSatisfy { $0.value == 1 }, blocker.value != nil)
        }
    }

    @Test(arguments: seeds)
    func `a flight that runs rises as a task, and does not sink when the urgent caller leaves`(seed: UInt64) {
        // A flight that has its slot rises as a task.
        let (slots, gate, inside) = (Slots(limit: 1), Gate(), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let caller = scenario.call(priority: .low) { [journal = scenario.journal] _ in
            journal.write("at \(Task.currentPriority.rawValue)")
            await inside.pass()
            journal.write("at \(Task.currentPriority.rawValue)")
            return 1
        }
        scenario.executor.drain()
        scenario.executor.open(gate)
        caller.escalate(to: .high)
        scenario.executor.open(inside)
        expectEqual(scenario.journal.entries, ["at 17", "at 25"])
        expectEqual(caller.value, 1)
        expect(blocker.value != nil)

        // A flight that runs does not sink when the urgent caller leaves.
        do {
            let inside = Gate()
            let scenario = FlightScenario(seed: seed)
            func call(_ priority: TaskPriority) -> Probe<Int> {
                scenario.call(priority: priority) { [journal = scenario.journal] _ in
                    await inside.pass()
                    journal.write("at \(Task.currentPriority.rawValue)")
                    return 1
                }
            }
            let callers = [call(.low), call(.high)]
            scenario.executor.drain()
            callers[1].cancel()
            scenario.executor.drain()
            scenario.executor.open(inside)
            expectEqual(scenario.journal.entries, ["at 25"])
            expectEqual(callers[0].value, 1)
        }
    }

    /// Callers come and leave in an order of the seed, while the work of one flight awaits another one, which waits for
    /// a slot.
    @Test(arguments: seeds)
    func `whatever callers do, what waits goes in the order of those that are left`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (slots, gate) = (Slots(limit: 1), Gate())
        let feeders = FlightScenario(seed: seed, slots: slots)
        let outer = Flights(name: "outer", executor: feeders.executor)
        let blocker = hold(slots, gate, on: feeders.executor)
        var callers: [(key: Int, priority: TaskPriority, probe: Probe<Int>)] = []
        func call(_ key: Int, _ priority: TaskPriority) {
            let probe = Probe(on: feeders.executor, priority: priority) { [journal = feeders.journal] in
                let feed: Flights.Operation = { _ in
                    journal.write("\(key)")
                    return key
                }
                return try await outer.value(
                    for: "\(key)",
                    starting: { work in
                        { _ in try await feeders.flights.value(for: "\(key)", within: work, starting: { _ in feed }) }
                    })
            }
            callers.append((key, priority, probe))
            if Bool.random(using: &random) { feeders.executor.drain() }
        }
        let priorities: [TaskPriority] = [.background, .low, .medium, .high]
        // One caller of each flight stays.
        for key in 0..<4 { call(key, .background) }
        for _ in 0..<30 {
            if Bool.random(using: &random) {
                call(.random(in: 0..<4, using: &random), priorities.randomElement(using: &random)!)
            } else if callers.count > 4 {
                callers.remove(at: .random(in: 4..<callers.count, using: &random)).probe.cancel()
            }
        }
        feeders.executor.drain()
        gate.open()
        feeders.executor.drain()
        let order = feeders.journal.entries.compactMap { Int($0) }
        let highest = order.map { key in callers.filter { $0.key == key }.map(\.priority.rawValue).max()! }
        expect(order.count == 4 && highest == highest.sorted(by: >), "\(order) \(highest)")
        expectAll(callers.allSatisfy { $0.probe.value == $0.key }, blocker.value != nil)
    }

    /// A caller whose flight notes at which priority it runs.
    private func call(
        _ key: String, _ priority: TaskPriority, asking asked: TaskPriority? = nil, _ scenario: FlightScenario,
        onStart: (@Sendable () -> Void)? = nil
    ) -> Probe<Int> {
        scenario.call(key, priority: priority, asking: asked, onStart: onStart) { [journal = scenario.journal] _ in
            journal.write("\(key) at \(Task.currentPriority.rawValue)")
            return 1
        }
    }
}
