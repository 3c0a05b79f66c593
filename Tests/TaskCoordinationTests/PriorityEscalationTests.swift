// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite struct PriorityEscalationTests {
    enum Moment: CaseIterable { case beforeTheCall, whileItWaits, both }

    @Test(arguments: Moment.allCases, seeds)
    func `an escalation is passed on, whether it comes before the call or during it`(moment: Moment, seed: UInt64) {
        let (executor, gate, raised) = (SeededExecutor(seed: seed), Gate(), Journal<UInt8>())
        let task = Probe(on: executor, priority: .low) {
            await withPriorityEscalation(to: { raised.write($0) }) { await gate.pass() }
        }
        if moment != .whileItWaits { task.escalate(to: .medium) }
        executor.drain()
        if moment != .beforeTheCall { task.escalate(to: .high) }
        let expected: [Moment: [UInt8]] = [.beforeTheCall: [21], .whileItWaits: [25], .both: [21, 25]]
        expectEqual(raised.entries, expected[moment])
        executor.open(gate)
        expect(task.value != nil)
    }

    @Test(arguments: [TaskPriority.background, .low, .high])
    func `a priority that the task has had from its start is not passed on`(priority: TaskPriority) {
        let (executor, gate, raised) = (SeededExecutor(seed: 0), Gate(), Journal<UInt8>())
        let task = Probe(on: executor, priority: priority) {
            await withPriorityEscalation(to: { raised.write($0) }) { await gate.pass() }
        }
        executor.drain()
        executor.open(gate)
        expect(task.value != nil)
        expectEqual(raised.count, 0)
    }
}
