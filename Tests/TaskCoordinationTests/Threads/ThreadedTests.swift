// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// The scenarios once more, on real threads.
///
/// Under the thread sanitizer these look for data races; everywhere for locks held across a resumption, which end in
/// a deadlock and so in the time limit.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ThreadedTests {
    #if THREAD_SANITIZER
    static let calls = 2_000
    #else
    static let calls = 8_000
    #endif

    @Test func `nested flights: those that await others end once, whatever comes together`() async throws {
        let slots = Slots(limit: 3)
        let feeders = Flights(name: "feeder", slots: slots)
        let flights = Flights(name: "threaded")
        let (landed, cancelled) = (Journal<Int>(), Journal<Int>())
        @Sendable func call(_ index: Int) -> Probe<Int> {
            Probe(priority: index % 2 == 0 ? .low : .medium) {
                let feed: Flights.Operation = { report in
                    report(1)
                    for _ in 0..<(index % 7) { await Task.yield() }
                    return 1
                }
                return try await flights.value(
                    for: "\(index % 20)", onProgress: { _ in },
                    starting: { work in
                        { report in
                            try await feeders.value(
                                for: "\(index % 10)", onProgress: report, within: work, starting: { _ in feed }) + 100
                        }
                    })
            }
        }
        await withDiscardingTaskGroup { group in
            for index in 0..<Self.calls {
                group.addTask {
                    let caller = call(index)
                    if index % 5 == 0 { caller.escalate(to: .high) }
                    if index % 3 == 0 {
                        await Task.yield()
                        caller.cancel()
                    }
                    if index % 500 == 499 { feeders.cancelAll() }
                    do {
                        try await expectEqual(caller.finish(), 101)
                        landed.write(index)
                    } catch {
                        expect(error is CancellationError)
                        cancelled.write(index)
                    }
                }
            }
        }
        expectEqual(landed.count + cancelled.count, Self.calls)
        try await expectEqual(call(0).finish(), 101, "no task cancels any more")
        await flights.drain()
        await feeders.drain()
        expectEqual(flights.entryCount + feeders.entryCount + slots.entryCount, 0)
    }

    @Test(arguments: [1, 6]) func `slots: the limit holds, and no slot and no wake-up is lost`(limit: Int) async {
        let slots = Slots(limit: limit)
        let (ran, ended) = (Journal<Int>(), Journal<Int>())
        await withDiscardingTaskGroup { group in
            for index in 0..<Self.calls {
                group.addTask {
                    let caller = Probe(priority: index % 5 == 0 ? .high : .low) {
                        try await slots.withSlot {
                            ran.write(slots.running)
                            if index % 4 == 0 { await Task.yield() }
                        }
                    }
                    if index % 3 == 0 { caller.cancel() }
                    if index % 7 == 0 { caller.escalate(to: .high) }
                    do { try await caller.finish() } catch {
                        expect(error is CancellationError)
                        expectEqual(index % 3, 0)
                    }
                    ended.write(index)
                }
            }
        }
        expectEqual(ended.count, Self.calls)
        expect(ran.entries.allSatisfy { $0 <= limit })
        expectEqual(slots.entryCount, 0)
    }

    @Test func `the pool: every caller ends once, also in the middle of a shutdown`() async {
        let pool = WorkerPool(name: "threaded", width: 3, maximumQueueLength: 1_000)
        let (ran, ended) = (Journal<Int>(), Journal<Int>())
        await withDiscardingTaskGroup { group in
            for index in 0..<1_500 {
                group.addTask {
                    let caller = Probe(priority: index % 5 == 0 ? .high : .low) {
                        try await pool.run { ran.write(pool.running) }
                    }
                    if index % 3 == 0 { caller.cancel() }
                    if index % 7 == 0 { caller.escalate(to: .high) }
                    do { try await caller.finish() } catch {
                        expect(error is CoordinationError || error is CancellationError)
                    }
                    ended.write(index)
                    if index == 1_000 { await pool.shutdown() }
                }
            }
        }
        await pool.shutdown()
        expectEqual(ended.count, 1_500)
        expect(ran.entries.allSatisfy { $0 <= 3 })
        expectEqual(pool.entryCount, 0)
    }

    @Test
    func `no lock across a resumption: value, grant, cancellation and escalation race for a one-shot and for slots`()
        async
    {
        // A one-shot.
        for round in 0..<3_000 {
            let shot = OneShot<Int>()
            let waiter = Task { await shot.wait(onCancel: -1) }
            let resolver = Task { shot.resolve(round) }
            waiter.cancel()
            let (value, won) = (await waiter.value, await resolver.value)
            expectEqual(value, (won ? round : -1))
        }

        // A slot.
        let slots = Slots(limit: 1)
        for _ in 0..<2_000 {
            let gate = Gate()
            let holder = Task { try await slots.withSlot { await gate.pass() } }
            await gate.reached()
            let waiter = Probe(priority: .low) { try await slots.withSlot {} }
            let opener = Task { gate.open() }
            waiter.escalate(to: .high)
            waiter.cancel()
            _ = (await opener.value, await holder.result, try? await waiter.finish())
        }
        expectEqual(slots.entryCount, 0)

        // The slot of a flight.
        do {
            let slots = Slots(limit: 1)
            let flights = InFlight<Int, Int, Int>(name: "threaded", slots: slots)
            for round in 0..<2_000 {
                let gate = Gate()
                let holder = Task { try await slots.withSlot { await gate.pass() } }
                await gate.reached()
                let waiter = Probe(priority: .low) { try await flights.value(for: 1) { _ in round } }
                while round % 2 == 0, slots.queued < 1 { await Task.yield() }
                let opener = Task { gate.open() }
                waiter.escalate(to: .high)
                waiter.cancel()
                let value = try? await waiter.finish()
                _ = (await opener.value, await holder.result)
                expect(value == nil || value == round)
                await flights.drain()
                expectEqual(slots.entryCount, 0)
            }
            expectEqual(flights.entryCount, 0)
        }
    }

    @Test func `no escalation is missed, whenever it comes`() async throws {
        for _ in 0..<Self.calls / 4 {
            let (gate, raised) = (Gate(), Journal<UInt8>())
            let waiter = Probe(priority: .low) {
                await withPriorityEscalation(to: { raised.write($0) }) { await gate.pass() }
            }
            let escalation = Task { waiter.escalate(to: .high) }
            // Both are done now: the waiter has its handler and has caught up, and the escalation has returned.
            await gate.reached()
            await escalation.value
            expect(raised.entries.contains(TaskPriority.high.rawValue))
            gate.open()
            try await waiter.finish()
        }
    }
}
