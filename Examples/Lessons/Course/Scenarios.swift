// SPDX-License-Identifier: MIT
import WebImageTesting

/// One scenario for each lesson. Each returns the promise that was broken, as a sentence, or `nil` when all were kept.
enum Scenarios {
    /// How many operations may run at once where there are slots.
    static let slotLimit = 2

    /// Lesson 1: two callers wait for one flight, and one of them is cancelled.
    static func oneWaiterCancels(_ stage: Stage) -> String? {
        let gate = Gate()
        let operation = waiting(at: gate, stage)
        let (a, b) = (stage.call("caller A", operation: operation), stage.call("caller B", operation: operation))
        stage.run()
        stage.cancel(b)
        stage.run()
        let isStuck = b.probe.isRunning
        stage.answer(gate)
        stage.run()
        if isStuck { return "caller B was cancelled, and still waited until the origin answered" }
        return a.probe.value == nil ? "caller A was not cancelled, and got no value" : nil
    }

    /// Lesson 2: two callers ask and are cancelled, at moments that the seed draws.
    static func lastOneOut(_ stage: Stage) -> String? {
        let gate = Gate()
        let operation = waiting(at: gate, stage)
        let callers = ["caller A", "caller B"].map { stage.call($0, operation: operation) }
        for caller in callers { stage.cancel(caller) }
        stage.run()
        let forgotten = stage.timeline.flights(that: "begins").subtracting(stage.timeline.flights(that: "is cancelled"))
        stage.answer(gate)
        stage.run()
        return forgotten.min().map { "\($0) was not cancelled, although no caller waited for it" }
    }

    /// Lesson 3: the only caller of a flight is cancelled while another one asks. A third one asks afterwards.
    static func doomedFlight(_ stage: Stage) -> String? {
        let (first, second) = (Gate(), Gate())
        let a = stage.call("caller A", operation: waiting(at: first, stage))
        stage.run()
        let b = stage.call("caller B", operation: waiting(at: second, stage))
        stage.cancel(a)
        stage.run()
        stage.answer(first)
        stage.run()
        let c = stage.call("caller C", operation: waiting(at: second, stage))
        stage.run()
        stage.answer(second)
        stage.run()
        for caller in [b, c] where caller.probe.value == nil {
            return "\(caller.name) was never cancelled, and ended with CancellationError"
        }
        let count = stage.timeline.flights(that: "begins").count
        return count == 2 ? nil : "\(count) flights began instead of 2, because caller C did not find that of caller B"
    }

    /// Lesson 4: a caller of low priority and one of medium priority ask, and the second one becomes urgent.
    static func priority(_ stage: Stage) -> String? {
        let (gate, seen) = (Gate(), Journal<TaskPriority>())
        let operation = stage.flight { [timeline = stage.timeline] name, _ in
            await gate.pass()
            let priority = Task.currentPriority
            timeline.note(name, "goes on at \(priority.name) priority")
            seen.write(priority)
            return 1
        }
        _ = stage.call("caller A", at: .low, operation: operation)
        let b = stage.call("caller B", at: .medium, operation: operation)
        stage.escalate(b, to: .high)
        stage.run()
        stage.answer(gate)
        stage.run()
        guard let priority = seen.entries.last, priority < .high else { return nil }
        return "caller B waited at high priority for a flight at \(priority.name) priority"
    }

    /// Lesson 5: two callers ask for a flight that reports three times. The second one may come late.
    static func progress(_ stage: Stage) -> String? {
        let operation = stage.flight { _, report in
            for number in 1...3 {
                report(number)
                await Task.yield()
            }
            return 3
        }
        let callers = ["caller A", "caller B"].map { stage.call($0, operation: operation) }
        stage.run()
        for caller in callers {
            let heard = caller.heard.entries
            guard let last = heard.last else { return "\(caller.name) heard no report" }
            if last != 3 { return "\(caller.name) did not hear the last report before the landing" }
            if heard != heard.sorted() { return "\(caller.name) heard reports out of order" }
        }
        return nil
    }

    /// Lesson 6: four callers ask for four keys at once.
    static func slots(_ stage: Stage) -> String? {
        let operation = stage.flight { _, _ in
            await Task.yield()
            return 1
        }
        let callers = (1...4).map { stage.call("caller \($0)", for: "picture \($0)", operation: operation) }
        stage.run()
        let most = mostAtOnce(stage.timeline.events)
        if most > slotLimit { return "\(most) operations ran at once, where \(slotLimit) may" }
        return callers.contains { $0.probe.value == nil } ? "a caller got no value" : nil
    }

    /// An operation that waits for the origin's answer, however long that takes, and then heeds its cancellation.
    static func waiting(at gate: Gate, _ stage: Stage) -> Reporting {
        stage.flight { _, _ in
            await gate.pass()
            return 1
        }
    }

    private static func mostAtOnce(_ events: [Timeline.Event]) -> Int {
        var (running, most) = (0, 0)
        for event in events where event.agent.hasPrefix("flight") {
            if event.text == "begins" { running += 1 }
            if event.text == "returns" { running -= 1 }
            most = max(most, running)
        }
        return most
    }
}
