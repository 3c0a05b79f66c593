// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

/// Progress, priorities, slots and the end, which the last step of the course and `InFlight` promise alike.
@Suite(.replayed)
struct OncePerKeyProgressTests {
    @Test(arguments: Subject.allCases, seeds) func `reports come in order, and the last one before the landing`(
        subject: Subject, seed: UInt64
    ) {
        let scenario = Scenario(subject, seed: seed)
        let operation = scenario.stage.flight { _, report in
            for number in 1...5 {
                report(number)
                if number % 2 == 0 { await Task.yield() }
            }
            return 5
        }
        let callers = (0..<3).map { scenario.stage.call("caller \($0)", for: "key", operation: operation) }
        scenario.run()
        for caller in callers {
            expectEqual(caller.heard.entries, caller.heard.entries.sorted())
            expectEqual(caller.heard.entries.last, 5)
            expectEqual(Set(caller.heard.entries).count, caller.heard.count)
            expectEqual(caller.probe.value, 5)
        }
    }

    @Test(arguments: Subject.allCases, seeds) func `a late caller hears the latest report at once, and no older one`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, first, second) = (Scenario(subject, seed: seed), Gate(), Gate())
        let operation = scenario.stage.flight { _, report in
            report(1)
            report(2)
            await first.pass()
            report(3)
            await second.pass()
            return 3
        }
        let early = scenario.stage.call("early", for: "key", operation: operation)
        scenario.run()
        let late = scenario.stage.call("late", for: "key", operation: operation)
        scenario.run()
        expectEqual(late.heard.entries, [2])
        first.open()
        scenario.run()
        expectEqual(late.heard.entries, [2, 3])
        expectEqual(early.heard.entries.last, 3)
        second.open()
        scenario.run()
        expectEqual(late.probe.value, 3)
    }

    @Test(arguments: Subject.allCases, seeds) func `a flight is as urgent as its most urgent caller`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate, seen) = (Scenario(subject, seed: seed), Gate(), Journal<TaskPriority>())
        let operation = scenario.stage.flight { _, _ in
            await gate.pass()
            seen.write(Task.currentPriority)
            return 1
        }
        let slow = scenario.stage.call("slow", for: "key", at: .low, operation: operation)
        if seed % 3 == 0 { scenario.run() }
        switch seed % 2 {
        case 0: _ = scenario.stage.call("urgent", for: "key", at: .high, operation: operation)
        default: scenario.stage.escalate(slow, to: .high)
        }
        scenario.run()
        gate.open()
        scenario.run()
        expectEqual(seen.entries, [.high])
    }

    @Test(arguments: Subject.allCases, seeds) func `a queued flight moves forward with its callers`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate, order) = (Scenario(subject, seed: seed, slotLimit: 1), Gate(), Journal<String>())
        let blocker = scenario.call("blocker", for: "blocker", at: gate)
        scenario.run()
        let queued = [("low", TaskPriority.low), ("medium", .medium)].map { key, priority in
            let caller = scenario.stage.call("caller of \(key)", for: key, at: priority) { _ in
                order.write(key)
                return 1
            }
            scenario.run()
            return caller
        }
        scenario.stage.escalate(queued[0], to: .high)
        scenario.run()
        gate.open()
        scenario.run()
        expectEqual(order.entries, ["low", "medium"])
        expect((queued + [blocker]).allSatisfy { $0.probe.value == 1 })
    }

    @Test(arguments: Subject.allCases, seeds) func `slots bound what runs, and a queued flight can be left`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate) = (Scenario(subject, seed: seed, slotLimit: 2), Gate())
        let callers = (0..<5).map { scenario.call(for: "key \($0)", at: gate) }
        scenario.run()
        expectEqual(scenario.begun, 2)
        expectEqual(scenario.slots.running, 2)
        expectEqual(scenario.slots.queued, 3)
        for caller in callers { scenario.stage.cancel(caller) }
        scenario.run()
        expect(callers.allSatisfy { $0.probe.wasCancelled })
        expectEqual(scenario.slots.queued, 0)
        gate.open()
        scenario.run()
        expectEqual(scenario.slots.running, 0)
        expectEqual(scenario.begun, 2, "a flight that was left in the queue never begins")
    }

    @Test(arguments: Subject.allCases, seeds)
    func `closed, it refuses newcomers, lands what flies and drains what unwinds`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, flying, doomed) = (Scenario(subject, seed: seed), Gate(), Gate())
        let staying = scenario.call(for: "flying", at: flying)
        let leaving = scenario.call(for: "doomed", at: doomed)
        scenario.run()
        leaving.probe.cancel()
        scenario.close()
        let late = scenario.call(for: "late", at: flying)
        scenario.run()
        expectEqual((late.probe.error as? CoordinationError)?.code, .shutDown)
        let drained = Probe(on: scenario.stage.executor) { await scenario.drain() }
        for gate in seed % 2 == 0 ? [flying, doomed] : [doomed, flying] {
            scenario.run()
            expect(drained.isRunning, "an operation has not returned")
            gate.open()
        }
        scenario.run()
        expect(!drained.isRunning)
        expectEqual(staying.probe.value, 1)
        expect(leaving.probe.wasCancelled)
    }
}
