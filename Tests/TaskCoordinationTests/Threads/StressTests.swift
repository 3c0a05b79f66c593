// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Races that seeds cannot see, because they lie between two locks of one synchronous step: 50,000 calls on real
/// threads, each met by its opponent a few instructions earlier or later.
///
/// They meet only while two processors are free: a pass on a machine that is busy with other things says little.
///
/// A lost wake-up ends in the time limit; what is left behind shows in the counters.
@Suite(.serialized, .timeLimit(.minutes(1))) struct StressTests {
    #if THREAD_SANITIZER
    static let rounds = 5_000
    #else
    static let rounds = 50_000
    #endif

    @Test func `a flight that waits for another one begins when that lands, also when it lands meanwhile`()
        async throws
    {
        let (feeders, flights) = (Flights(name: "feeder"), Flights(name: "test"))
        for round in 0..<Self.rounds {
            let (start, landing) = (Rendezvous(), Rendezvous())
            let feeder = Task {
                try await feeders.value(for: "key") { _ in
                    start.arrive()
                    await landing.meet(delay: round % 101)
                    return round
                }
            }
            await start.meet()
            // A wake-up that is lost leaves this call waiting for ever.
            let value = try await flights.value(for: "key") { _ in
                landing.arrive()
                return try await feeders.value(for: "key") { _ in round } + 100
            }
            let fed = try await feeder.value
            expectEqual([value, fed], [round + 100, round])
        }
        await flights.drain()
        await feeders.drain()
        expectEqual(flights.entryCount + feeders.entryCount, 0)
    }

    @Test func `a slot given back meets a caller that comes: none is left waiting for a free slot`() async throws {
        let slots = Slots(limit: 1)
        for round in 0..<Self.rounds {
            let start = Rendezvous()
            let holder = Task {
                try await slots.withSlot {
                    start.arrive()
                    Rendezvous.pause(round % 397)
                }
            }
            await start.meet()
            try await slots.withSlot {}
            try await holder.value
        }
        expectEqual(slots.entryCount, 0)
    }

    @Test func `a slot given back meets a flight that comes: it begins, also when it is not yet a task`() async throws {
        let slots = Slots(limit: 1)
        let flights = InFlight<Int, Int, Int>(name: "test", slots: slots)
        for round in 0..<Self.rounds {
            let start = Rendezvous()
            let holder = Task {
                try await slots.withSlot {
                    start.arrive()
                    Rendezvous.pause(round % 397)
                }
            }
            await start.meet()
            try await expectEqual(flights.value(for: round) { _ in round }, round)
            try await holder.value
        }
        await flights.drain()
        expectEqual(flights.entryCount + slots.entryCount, 0)
    }

    @Test func `callers that leave together take the flight with them`() async {
        let flights = InFlight<Int, Int, Int>(name: "test")
        for round in 0..<Self.rounds / 2 {
            let start = Rendezvous()
            let callers = (0..<2).map { _ in
                Probe {
                    try await flights.value(for: 1) { _ in
                        await OneShot<Void>().wait(onCancel: ())
                        throw CancellationError()
                    }
                }
            }
            while flights.callerCount < 2 { await Task.yield() }
            let first = Task {
                start.arrive()
                callers[0].cancel()
            }
            await start.meet(delay: round % 53)
            callers[1].cancel()
            _ = (await first.value, try? await callers[0].finish(), try? await callers[1].finish())
            // A flight that neither of them has ended flies for ever.
            await flights.drain()
        }
        expectEqual(flights.entryCount, 0)
    }

    @Test func `cancelling everything meets a caller that comes: its flight is cancelled, or the next caller joins it`()
        async throws
    {
        let flights = InFlight<Int, Int, Int>(name: "test")
        for round in 0..<Self.rounds {
            let (start, gate) = (Rendezvous(), Gate())
            let operation: InFlight<Int, Int, Int>.Operation = { _ in
                await gate.pass()
                return round
            }
            let first = Probe {
                start.arrive()
                return try await flights.value(for: 1, operation: operation)
            }
            await start.meet(delay: round % 199)
            flights.cancelAll()
            // It has joined when this returns.
            let second = Task.immediate { try await flights.value(for: 1, operation: operation) }
            // The first is cancelled, or joins, or has a flight of its own.
            while first.isRunning, flights.callerCount < 2, gate.arrivals < 2 { await Task.yield() }
            gate.open()
            _ = try? await first.finish()
            try await expectEqual(second.value, round)
            expect(first.wasCancelled || gate.arrivals == 1, "two flights of one key that were not cancelled")
        }
        await flights.drain()
        expectEqual(flights.entryCount, 0)
    }

    @Test func `a flight raised and left while it lands ends each caller once`() async {
        let slots = Slots(limit: 1)
        let flights = InFlight<Int, Int, Int>(name: "test", slots: slots)
        for round in 0..<Self.rounds / 2 {
            let landing = Rendezvous()
            let callers = [TaskPriority.low, .medium].map { priority in
                Probe(priority: priority) {
                    try await flights.value(for: 1) { report in
                        report(round)
                        landing.arrive()
                        return round
                    }
                }
            }
            await landing.meet(delay: round % 73)
            callers[0].escalate(to: .high)
            callers[1].cancel()
            flights.escalate(1, to: .high)
            let values = [try? await callers[0].finish(), try? await callers[1].finish()]
            expectEqual(values[0], round)
            expect(values[1] == round || callers[1].wasCancelled)
        }
        await flights.drain()
        expectEqual(flights.entryCount + slots.entryCount, 0)
    }
}
