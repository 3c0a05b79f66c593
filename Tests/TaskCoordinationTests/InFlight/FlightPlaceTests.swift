// SPDX-License-Identifier: MIT
import Dispatch
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

/// Where the first stretch of a flight runs, which begins in place for some callers.
@Suite(.replayed, .timeLimit(.minutes(1))) struct FlightPlaceTests {
    private static let onMain = DispatchSpecificKey<Bool>()

    @Test @MainActor
    func `an operation does not run on its caller's actor, nor on that of the callers of one that waits for it`()
        async throws
    {
        DispatchQueue.main.setSpecific(key: Self.onMain, value: true)
        try #require(DispatchQueue.getSpecific(key: Self.onMain) == true)
        let isOnMain = try await InFlight<Int, Bool, Int>(name: "test").value(for: 1) { _ in
            DispatchQueue.getSpecific(key: Self.onMain) == true
        }
        expect(!isOnMain)

        // An operation that is waited for does not run on its callers' actor either.
        DispatchQueue.main.setSpecific(key: Self.onMain, value: true)
        let (feeders, flights, places) = (Flights(name: "feeder"), Flights(name: "test"), Journal<Bool>())
        let value = try await flights.value(for: "key") { report in
            try await feeders.value(for: "key", onProgress: report) { _ in
                places.write(DispatchQueue.getSpecific(key: Self.onMain) == true)
                return 1
            } + 100
        }
        expectEqual(value, 101)
        expectEqual(places.entries, [false])
    }

    @Test(arguments: seeds) func `a flight begins on its own executor, whatever its caller's`(seed: UInt64) {
        let (callers, own) = (SeededExecutor(seed: seed), SeededExecutor(seed: ~seed))
        let flights = Flights(name: "test", executor: own)
        let journal = Journal<String>()
        let caller = Probe(on: callers) {
            try await flights.value(for: "key") { _ in
                journal.write("start")
                return 1
            }
        }
        callers.drain()
        expectEqual(journal.count, 0)
        expect(caller.isRunning)
        own.drain()
        callers.drain()
        expectEqual(journal.entries, ["start"])
        expectEqual(caller.value, 1)
    }
}
