// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite(.replayed) struct OneShotTests {
    @Test
    func `the first value wins, and a cancellation, also one before it, ends a wait with a fallback alone`() async {
        // The first value wins and the others are refused.
        let shot = OneShot<Int>()
        expectAll(shot.resolve(1), !shot.resolve(2))
        await expectEqual(shot.wait(), 1)
        expect(!shot.resolve(3))

        // A cancellation that comes before the wait ends it at once.
        do {
            let executor = SeededExecutor(seed: 0)
            let shot = OneShot<Int>()
            let waiter = Probe(on: executor) { await shot.wait(onCancel: -1) }
            waiter.cancel()
            executor.drain()
            expectEqual(waiter.value, -1)
            expect(!shot.resolve(1))
        }

        // A wait without a fallback ignores cancellation.
        do {
            let executor = SeededExecutor(seed: 0)
            let shot = OneShot<Int>()
            let waiter = Probe(on: executor) { await shot.wait() }
            executor.drain()
            waiter.cancel()
            executor.drain()
            expect(waiter.isRunning)
            shot.resolve(1)
            executor.drain()
            expectEqual(waiter.value, 1)
        }
    }

    @Test(arguments: seeds) func `a continuation is resumed once, whatever races for it`(seed: UInt64) {
        let executor = SeededExecutor(seed: seed)
        let shot = OneShot<Int>()
        let waiter = Probe(on: executor) { await shot.wait(onCancel: -1) }
        let resolvers = [1, 2].map { value in Probe(on: executor) { shot.resolve(value) ? value : 0 } }
        let canceller = Probe(on: executor) { waiter.cancel() }
        executor.drain()
        let winners = resolvers.compactMap(\.value).filter { $0 != 0 }
        expect(winners.count, <=, 1)
        expect(!canceller.isRunning)
        expectEqual(waiter.value, winners.first ?? -1)
    }

    @Test func `a second wait is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let shot = OneShot<Int>()
            shot.resolve(1)
            _ = await shot.wait()
            _ = await shot.wait()
        }
    }
}
