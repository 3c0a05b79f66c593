// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// What one caller is told, and what it hears of it.
@Suite struct FlightCallerTests {
    private typealias Caller = FlightCaller<Int, Int>

    @Test func `a caller that listens hears newer reports alone, up to its first ending, which counts`() throws {
        // A report that comes late does not replace a later one.
        let early = Caller(isListening: true, report: nil)
        early.tell((30, 3))
        early.tell((20, 2))
        expectEqual(early.takeReport(), 30)
        early.tell((20, 2))
        early.tell((30, 3))
        expectNil(early.takeReport())
        let late = Caller(isListening: true, report: (40, 4))
        late.tell((30, 3))
        expectEqual(late.takeReport(), 40)
        late.tell((40, 4))
        expectNil(late.takeReport())
        late.tell((50, 5))
        expectEqual(late.takeReport(), 50)

        // A caller that does not listen hears no report.
        do {
            let caller = Caller(isListening: false, report: (10, 1))
            caller.tell((20, 2))
            expectNil(caller.takeReport())
            caller.end(with: .success(1))
            expectNil(caller.takeReport())
        }

        // The first ending counts, and no report comes after it.
        do {
            let landed = Caller(isListening: true, report: nil)
            landed.tell((10, 1))
            landed.end(with: .success(1))
            landed.tell((20, 2))
            landed.cancel()
            landed.end(with: .failure(Broken()))
            try expectEqual(landed.value(), 1)
            expectEqual(landed.takeReport(), 10, "the last report before the end is heard")
            let cancelled = Caller(isListening: true, report: nil)
            cancelled.tell((10, 1))
            cancelled.cancel()
            cancelled.end(with: .success(1))
            expectError(CancellationError.self) { try cancelled.value() }
            expectNil(cancelled.takeReport())
        }
    }

    @Test(arguments: 0..<3) func `what was told before the wait ends it at once`(event: Int) {
        let executor = SeededExecutor(seed: 0)
        let caller = Caller(isListening: true, report: nil)
        switch event {
        case 0: caller.tell((10, 1))
        case 1: caller.end(with: .success(1))
        default: caller.cancel()
        }
        let waiter = Probe(on: executor) { await caller.wait() }
        executor.drain()
        expect(waiter.value != nil)
    }
}
