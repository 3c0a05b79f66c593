// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@TaskLocal private var tenant = "none"

/// Flights that wait for slots: which of them run, are shared, and are refused.
@Suite(.balanced) struct FlightSlotsTests {
    @Test(arguments: [1, 3], seeds) func `no more flights run at once than there are slots, and all run in the end`(
        limit: Int, seed: UInt64
    ) {
        let slots = Slots(limit: limit)
        let scenario = FlightScenario(seed: seed, slots: slots)
        let steps = Journal<Int>()
        let callers = (0..<12).map { index in
            scenario.call("key \(index)") { _ in
                steps.write(1)
                for _ in 0..<(index % 3) { await Task.yield() }
                steps.write(-1)
                return index
            }
        }
        scenario.executor.drain()
        expectEqual(callers.map(\.value), (0..<12).map { $0 })
        expectEqual([scenario.flights.count, steps.count], [0, 24])
        expectEqual(mostAtOnce(steps.entries), limit)
        expectAllFree(slots, on: scenario.executor)
    }

    @Test(arguments: seeds)
    func `a flight without a slot is an entry in the queue and no task, and callers share it`(seed: UInt64) {
        // A flight without a slot is an entry in the queue and no task.
        let (slots, gate) = (Slots(limit: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let queued = scenario.call { _ in 1 }
        expectEqual(scenario.executor.drain(), 1, "the caller's job, which has left no other behind")
        expectEqual([slots.queued, scenario.flights.count], [1, 1])
        expect(queued.isRunning)
        scenario.executor.open(gate)
        expectEqual(queued.value, 1)
        expect(blocker.value != nil)

        // A caller that joins a queued flight shares it, and only its first caller starts it.
        do {
            let (slots, gate) = (Slots(limit: 1), Gate())
            let scenario = FlightScenario(seed: seed, slots: slots)
            let blocker = hold(slots, gate, on: scenario.executor)
            let callers = (0..<4).map { _ in
                scenario.call(onStart: { [journal = scenario.journal] in journal.write("new, \(slots.queued) queued") })
                {
                    [journal = scenario.journal] _ in
                    journal.write("start")
                    return 7
                }
            }
            scenario.executor.drain()
            expectEqual([slots.queued, scenario.flights.callerCount], [1, 4])
            expectEqual(scenario.journal.entries, ["new, 0 queued"])
            scenario.executor.open(gate)
            expectAll(callers.allSatisfy { $0.value == 7 }, blocker.value != nil)
            expectEqual(scenario.journal.entries, ["new, 0 queued", "start"])
            expectAllFree(slots, on: scenario.executor)
        }
    }

    @Test(arguments: [false, true], seeds)
    func `a flight gives its slot back before its callers resume, also when it throws`(isQueued: Bool, seed: UInt64) {
        let (slots, gate, isThrowing) = (Slots(limit: 1), Gate(), seed % 2 == 0)
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = isQueued ? hold(slots, gate, on: scenario.executor) : nil
        let resumptions = NotingExecutor(scenario.executor) {
            [flights = scenario.flights, journal = scenario.journal] in
            journal.write("\(slots.running) running, \(flights.count) in flight")
        }
        let callers = (0..<2).map { _ in
            Probe(on: resumptions) { [flights = scenario.flights, journal = scenario.journal] in
                try await flights.value(for: "key") { _ in
                    await gate.pass()
                    journal.write("returns")
                    if isThrowing { throw Broken() }
                    return 1
                }
            }
        }
        scenario.executor.drain()
        scenario.executor.open(gate)
        expect(callers.allSatisfy { isThrowing ? $0.error is Broken : $0.value == 1 })
        expect(blocker?.isRunning != true)
        let resumed = scenario.journal.entries.drop { $0 != "returns" }.dropFirst()
        expect(resumed.count, >=, 2)
        expect(resumed.allSatisfy { $0 == "0 running, 0 in flight" })
        expectEqual(scenario.flights.count, 0)
        expectAllFree(slots, on: scenario.executor)
    }

    @Test(arguments: seeds)
    func `a full or closed queue refuses flights for every caller, and lands what runs`(seed: UInt64) {
        // A flight beyond the queue's limit fails for every caller and is not remembered.
        let (slots, gate) = (Slots(limit: 1, maximumQueueLength: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let blocker = hold(slots, gate, on: scenario.executor)
        let queued = scenario.callInTurn("queued", operation: scenario.gated(gate, 1))
        let joining = Journal<Task<Int, any Error>>()
        let first = scenario.call(
            onStart: { [flights = scenario.flights, executor = scenario.executor] in
                let caller = Task.immediate(executorPreference: executor) {
                    try await flights.value(for: "key") { _ in 3 }
                }
                joining.write(caller)
            }, operation: scenario.gated(gate, 2))
        scenario.executor.drain()
        let second = Probe(on: scenario.executor) { try await joining.entries[0].value }
        scenario.executor.drain()
        for caller in [first, second] { expectEqual((caller.error as? CoordinationError)?.code, .overloaded) }
        expectEqual([scenario.flights.count, slots.queued], [1, 1])
        expect(queued.isRunning)
        scenario.executor.open(gate)
        let again = scenario.call { _ in 4 }
        let drained = scenario.drain()
        scenario.executor.drain()
        expectEqual([queued.value, again.value], [1, 4])
        expectAll(blocker.value != nil, drained.value != nil)
        expectEqual(scenario.journal.entries, ["start"])
        expectAllFree(slots, on: scenario.executor)

        // Closed slots refuse the flights in the queue and land those that run.
        do {
            let (slots, gate) = (Slots(limit: 1), Gate())
            let scenario = FlightScenario(seed: seed, slots: slots)
            let flying = scenario.callInTurn("flying", operation: scenario.gated(gate, 1))
            let queued = (0..<4).map { scenario.call("key \($0 % 2)", operation: scenario.gated(gate, 2)) }
            scenario.executor.drain()
            slots.close()
            let late = scenario.callInTurn("late", operation: scenario.gated(gate, 3))
            for caller in queued + [late] { expectEqual((caller.error as? CoordinationError)?.code, .shutDown) }
            expectEqual(scenario.flights.count, 1)
            expect(flying.isRunning)
            let drained = scenario.drain()
            scenario.executor.drain()
            expect(drained.isRunning)
            scenario.executor.open(gate)
            expectEqual(flying.value, 1)
            expect(drained.value != nil)
            expectEqual(scenario.journal.entries, ["start"])
            expectEqual([slots.running, slots.queued], [0, 0])
        }
    }

    @Test(arguments: seeds) func `the task that gives a slot back does not govern the flight that gets it`(seed: UInt64)
    {
        let (slots, gate, own) = (Slots(limit: 1), Gate(), SeededExecutor(seed: ~seed))
        let scenario = FlightScenario(seed: seed)
        let flights = Flights(name: "test", executor: own, slots: slots)
        let blocker = $tenant.withValue("giver") { hold(slots, gate, on: scenario.executor) }
        let caller = $tenant.withValue("caller") {
            Probe(on: scenario.executor) { [journal = scenario.journal] in
                try await flights.value(for: "key") { _ in
                    journal.write("\(tenant), \(Task.isCancelled ? "cancelled" : "not cancelled")")
                    return 1
                }
            }
        }
        scenario.executor.drain()
        blocker.cancel()
        scenario.executor.open(gate)
        expect(blocker.value != nil)
        expectEqual(scenario.journal.count, 0, "it does not begin on the giver's thread")
        own.drain()
        scenario.executor.drain()
        expectEqual(caller.value, 1)
        expectEqual(scenario.journal.entries, ["none, not cancelled"])
        expectAllFree(slots, on: scenario.executor)
    }

    @Test(arguments: seeds)
    func `a part without the slot that outlives its operation gives its slot back, and lets others have it before`(
        seed: UInt64
    ) {
        let (slots, gate) = (Slots(limit: 1), Gate())
        let scenario = FlightScenario(seed: seed, slots: slots)
        let (executor, flights) = (scenario.executor, scenario.flights)
        let caller = Probe(on: executor) {
            try await flights.value(
                for: "key",
                starting: { work in
                    { _ in
                        Task(executorPreference: executor) {
                            try await work.withoutSlot("") { await gate.pass() }
                        }
                        for _ in 0..<seed % 5 { await Task.yield() }
                        return 1
                    }
                })
        }
        executor.drain()
        let other = scenario.call("other") { _ in 2 }
        executor.drain()
        expectAll(caller.value == 1, other.value == 2)
        executor.open(gate)
        expectAllFree(slots, on: executor)
    }
}

/// Notes what holds at the moment when a task is to go on, and hands the task to another executor.
private final class NotingExecutor: TaskExecutor {
    private let next: SeededExecutor
    private let note: @Sendable () -> Void

    init(_ next: SeededExecutor, _ note: @escaping @Sendable () -> Void) {
        self.next = next
        self.note = note
    }

    func enqueue(_ job: consuming ExecutorJob) {
        note()
        next.enqueue(job)
    }
}
