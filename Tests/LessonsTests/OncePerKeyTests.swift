// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

@TaskLocal private var tenant = "none"

/// What the last step of the course and `InFlight` promise alike.
@Suite(.replayed)
struct OncePerKeyTests {
    @Test(arguments: Subject.allCases, seeds) func `a cancelled caller returns at once and leaves the others waiting`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate) = (Scenario(subject, seed: seed), Gate())
        let callers = (0..<3).map { _ in scenario.call(at: gate) }
        scenario.run()
        callers[Int(seed % 3)].probe.cancel()
        scenario.run()
        for (number, caller) in callers.enumerated() {
            expect(number == seed % 3 ? caller.probe.wasCancelled : caller.probe.isRunning)
        }
        gate.open()
        scenario.run()
        expectEqual(callers.count { $0.probe.value == 1 }, 2)
        expectEqual(scenario.begun, 1)
        expectEqual(scenario.cancelled, 0)
    }

    @Test(arguments: Subject.allCases, seeds) func `a caller cancelled before it asks starts nothing and hears nothing`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate) = (Scenario(subject, seed: seed), Gate())
        let operation = scenario.stage.flight { _, report in
            report(1)
            await gate.pass()
            return 1
        }
        let alone = scenario.stage.call("alone", for: "other key", operation: operation)
        alone.probe.cancel()
        let waiting = scenario.stage.call("waiting", for: "key", operation: operation)
        scenario.run()
        let joining = scenario.stage.call("joining", for: "key", operation: operation)
        joining.probe.cancel()
        scenario.run()
        expect(alone.probe.wasCancelled)
        expect(joining.probe.wasCancelled)
        expectEqual(joining.heard.count, 0)
        expectEqual(scenario.begun, 1)
        gate.open()
        scenario.run()
        expectEqual(waiting.probe.value, 1)
    }

    @Test(arguments: Subject.allCases, seeds) func `the last caller out cancels the flight, within its cancellation`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate) = (Scenario(subject, seed: seed), Gate())
        let callers = (0..<3).map { _ in scenario.call(at: gate) }
        scenario.run()
        for caller in callers {
            expectEqual(scenario.cancelled, 0)
            caller.probe.cancel()
        }
        expectEqual(scenario.cancelled, 1, "no job has run since")
        scenario.run()
        expect(callers.allSatisfy { $0.probe.wasCancelled })
        gate.open()
        scenario.run()
    }

    @Test(arguments: Subject.allCases, seeds)
    func `a newcomer gets a fresh flight, which the doomed one does not remove`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, doomed, fresh) = (Scenario(subject, seed: seed), Gate(), Gate())
        let first = scenario.call(at: doomed, gets: 1)
        scenario.run()
        first.probe.cancel()
        let second = scenario.call(at: fresh, gets: 2)
        scenario.run()
        doomed.open()
        scenario.run()
        let third = scenario.call(at: fresh, gets: 3)
        scenario.run()
        expect(first.probe.wasCancelled)
        expect(second.probe.isRunning, "the doomed flight answers no caller of its successor")
        fresh.open()
        scenario.run()
        expectEqual(second.probe.value, 2)
        expectEqual(third.probe.value, 2)
    }

    @Test(arguments: Subject.allCases, seeds) func `cancelled together with the landing, a caller ends once`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, gate) = (Scenario(subject, seed: seed), Gate())
        let (caller, other) = (scenario.call(at: gate), scenario.call(at: gate))
        scenario.run()
        scenario.stage.cancel(caller)
        let opener = Probe(on: scenario.stage.executor) { gate.open() }
        scenario.run()
        expect(caller.probe.wasCancelled != (caller.probe.value == 1))
        expectEqual(other.probe.value, 1)
        expect(!opener.isRunning)
    }

    @Test(arguments: Subject.allCases, seeds) func `task-local values of the first caller do not govern shared work`(
        subject: Subject, seed: UInt64
    ) {
        let (scenario, seen) = (Scenario(subject, seed: seed), Journal<String>())
        let caller = $tenant.withValue("first") {
            scenario.stage.call("caller", for: "key") { _ in
                seen.write(tenant)
                return 1
            }
        }
        scenario.run()
        expectEqual(caller.probe.value, 1)
        expectEqual(seen.entries, ["none"])
    }
}
