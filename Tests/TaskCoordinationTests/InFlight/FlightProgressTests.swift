// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite(.balanced) struct FlightProgressTests {
    @Test(arguments: seeds) func `progress comes in order, and late callers hear the latest at once`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let middle = Gate()
        let (early, late) = (Journal<Int>(), Journal<Int>())
        let operation: Flights.Operation = { report in
            for step in 1...5 {
                report(step)
                await Task.yield()
            }
            await middle.pass()
            for step in 6...10 {
                report(step)
                await Task.yield()
            }
            return 1
        }
        let one = scenario.callInTurn(onProgress: { early.write($0) }, operation: operation)
        let other = scenario.callInTurn(onProgress: { late.write($0) }, operation: operation)
        expectEqual(late.entries, [5])
        scenario.executor.open(middle)
        for (caller, heard) in [(one, early.entries), (other, late.entries)] {
            expectEqual(caller.value, 1)
            expectEqual(heard, Set(heard).sorted())
            expectEqual(heard.last, 10)
        }
    }

    @Test(arguments: seeds) func `what is known beforehand is heard until there is a report`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let flights = InFlight<Int, Int, Int>(name: "test", executor: executor)
        let (beginning, end) = (Gate(), Gate())
        func call(_ heard: Journal<Int>) -> Probe<Int> {
            let caller = Probe(on: executor) {
                try await flights.value(for: 1, onProgress: { heard.write($0) }, hearing: 0) { _ in
                    { report in
                        await beginning.pass()
                        report(7)
                        await end.pass()
                        return 1
                    }
                }
            }
            executor.drain()
            return caller
        }
        let (early, late) = (Journal<Int>(), Journal<Int>())
        let first = call(early)
        expectEqual(early.entries, [0])
        executor.open(beginning)
        let second = call(late)
        executor.open(end)
        expectAll(early.entries == [0, 7], late.entries == [7], first.value == 1, second.value == 1)
    }

    @Test(arguments: seeds)
    func `a quick listener hears every report, and a slow one the last, and slows no other`(seed: UInt64) {
        // A quick listener hears every report.
        let scenario = FlightScenario(seed: seed)
        let gates = (1...5).map { _ in Gate() }
        let heard = Journal<Int>()
        let caller = scenario.call(onProgress: { heard.write($0) }) { report in
            for (step, gate) in gates.enumerated() {
                report(step)
                await gate.pass()
            }
            return 1
        }
        for (step, gate) in gates.enumerated() {
            scenario.executor.drain()
            expectEqual(heard.entries, Array(0...step))
            gate.open()
        }
        scenario.executor.drain()
        expectEqual(caller.value, 1)

        // A slow listener misses reports, never the last, and slows no other caller.
        do {
            let scenario = FlightScenario(seed: seed)
            let (middle, end, listening) = (Gate(), Gate(), Gate())
            let heard = Journal<Int>()
            let operation: Flights.Operation = { report in
                report(1)
                await middle.pass()
                for step in 2...9 { report(step) }
                await end.pass()
                return 1
            }
            let slow = Probe(on: scenario.executor) { [flights = scenario.flights] in
                try await flights.value(
                    for: "key",
                    onProgress: { step in
                        heard.write(step)
                        await listening.pass()
                    }, operation: operation)
            }
            scenario.executor.drain()
            let other = scenario.call(operation: operation)
            scenario.executor.open(middle)
            scenario.executor.open(end)
            expectEqual(other.value, 1)
            expect(slow.isRunning)
            expectEqual(heard.entries, [1])
            scenario.executor.open(listening)
            expectEqual(slow.value, 1)
            expectEqual(heard.entries, [1, 9])
        }
    }

    @Test(arguments: seeds)
    func `no report is heard by a caller that has left, from an abandoned flight, or beyond the landing`(seed: UInt64) {
        // A caller that has left hears nothing more.
        let scenario = FlightScenario(seed: seed)
        let journal = Journal<String>()
        let operation: Flights.Operation = { report in
            for step in 1...8 {
                report(step)
                await Task.yield()
            }
            return 1
        }
        let leaving = Probe(on: scenario.executor) { [flights = scenario.flights] in
            defer { journal.write("left") }
            return try await flights.value(
                for: "key", onProgress: { _ in journal.write("heard") }, operation: operation)
        }
        let staying = scenario.call(onProgress: { _ in }, operation: operation)
        scenario.executor.run(steps: Int(seed % 16))
        leaving.cancel()
        scenario.executor.drain()
        expectEqual(journal.entries.last, "left")
        expectEqual([journal.count(of: "left"), staying.value], [1, 1])
        expect(!leaving.isRunning)

        // Reports of an abandoned flight do not reach the fresh one.
        do {
            let scenario = FlightScenario(seed: seed)
            let (doomed, fresh, heard) = (Gate(), Gate(), Journal<Int>())
            let first = scenario.call { report in
                await doomed.pass()
                report(-1)
                return 1
            }
            scenario.executor.drain()
            first.cancel()
            scenario.executor.drain()
            let second = scenario.callInTurn(onProgress: { heard.write($0) }, operation: scenario.gated(fresh, 2))
            scenario.executor.open(doomed)
            scenario.executor.open(fresh)
            expectEqual([second.value, heard.count], [2, 0])
        }

        // A report kept beyond the landing is dropped.
        do {
            let scenario = FlightScenario(seed: seed)
            let kept = OneShot<@Sendable (Int) -> Void>()
            let heard = Journal<Int>()
            let caller = scenario.call(onProgress: { heard.write($0) }) { report in
                report(1)
                kept.resolve(report)
                return 1
            }
            scenario.executor.drain()
            let gate = Gate()
            let next = scenario.call(onProgress: { heard.write($0) }, operation: scenario.gated(gate))
            let stray = Probe(on: scenario.executor) { await kept.wait()(2) }
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual([caller.value, next.value], [1, 1])
            expect(stray.value != nil)
            expectEqual(heard.entries, [1])
        }
    }
}
