// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@Suite struct GateTests {
    @Test(arguments: 0..<50 as Range<UInt64>) func `a gate holds all tasks until it opens, and none afterwards`(
        seed: UInt64
    ) {
        let (executor, gate) = (SeededExecutor(seed: seed), Gate())
        let watchers = (0..<2).map { _ in Probe(on: executor) { await gate.reached() } }
        executor.drain()
        expect(watchers.allSatisfy { $0.isRunning })
        let held = (0..<3).map { _ in Probe(on: executor) { await gate.pass() } }
        executor.drain()
        expectAll(watchers.allSatisfy { $0.value != nil }, held.allSatisfy { $0.isRunning }, gate.arrivals == 3)
        held[0].cancel()
        executor.drain()
        expect(held[0].isRunning, "a gate ignores cancellation")
        gate.open()
        gate.open()
        let late = Probe(on: executor) { await gate.pass() }
        let watcher = Probe(on: executor) { await gate.reached() }
        executor.drain()
        expectAll(held.allSatisfy { $0.value != nil }, late.value != nil, watcher.value != nil)
        expectEqual(gate.arrivals, 4)
    }
}
