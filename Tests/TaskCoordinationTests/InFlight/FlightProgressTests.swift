import TaskCoordination
import Testing
import WebImageTesting

@Suite struct FlightProgressTests {
    @Test(arguments: seeds) func `progress comes in order, and late callers hear the latest at once`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let middle = Gate()
        let (early, late) = (Journal<Int>(), Journal<Int>())
        let operation: Flights.Operation = { report in
            for step in 1...5 { await report(step) }
            await middle.pass()
            for step in 6...10 { await report(step) }
            return 1
        }
        let one = scenario.call(onProgress: { early.write($0) }, operation: operation)
        scenario.executor.drain()
        let other = scenario.call(onProgress: { late.write($0) }, operation: operation)
        scenario.executor.drain()
        #expect(late.entries == [5])
        middle.open()
        scenario.executor.drain()
        #expect(one.value == 1 && early.entries == Array(1...10))
        #expect(other.value == 1 && late.entries == Array(5...10))
    }

    @Test(arguments: seeds) func `a caller who has left hears nothing more`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let journal = Journal<String>()
        let operation: Flights.Operation = { report in
            for step in 1...8 { await report(step) }
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
        #expect(journal.entries.last == "left" && journal.count(of: "left") == 1)
        #expect(staying.value == 1 && !leaving.isRunning)
    }

    @Test(arguments: seeds) func `reports of an abandoned flight do not reach the fresh one`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let (doomed, fresh, heard) = (Gate(), Gate(), Journal<Int>())
        let first = scenario.call { report in
            await doomed.pass()
            await report(-1)
            return 1
        }
        scenario.executor.drain()
        first.cancel()
        scenario.executor.drain()
        let second = scenario.call(onProgress: { heard.write($0) }, operation: scenario.gated(fresh, 2))
        scenario.executor.drain()
        doomed.open()
        scenario.executor.drain()
        fresh.open()
        scenario.executor.drain()
        #expect(second.value == 2 && heard.count == 0)
    }

    @Test(arguments: seeds) func `a report kept beyond the landing is dropped`(seed: UInt64) {
        let scenario = FlightScenario(seed: seed)
        let kept = OneShot<@Sendable (Int) async -> Void>()
        let heard = Journal<Int>()
        let caller = scenario.call(onProgress: { heard.write($0) }) { report in
            await report(1)
            kept.resolve(report)
            return 1
        }
        scenario.executor.drain()
        let gate = Gate()
        let next = scenario.call(onProgress: { heard.write($0) }, operation: scenario.gated(gate))
        let stray = Probe(on: scenario.executor) { await kept.wait()(2) }
        scenario.executor.drain()
        gate.open()
        scenario.executor.drain()
        #expect(caller.value == 1 && next.value == 1 && stray.value != nil && heard.entries == [1])
    }
}
