// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@Suite struct SeededExecutorTests {
    /// The planted bug: lookup, await, insert.
    private actor NaiveCache {
        private var values: [Int: Int] = [:]

        func value(_ key: Int, _ journal: Journal<String>) async -> Int {
            if let value = values[key] { return value }
            journal.write("fetch")
            await Task.yield()
            values[key] = key
            return key
        }
    }

    private func trace(seed: UInt64) -> [String] {
        let (executor, cache, journal) = (SeededExecutor(seed: seed), NaiveCache(), Journal<String>())
        let callers = (0..<2).map { index in
            Probe(on: executor) {
                journal.write("start \(index)")
                let value = await cache.value(1, journal)
                journal.write("end \(index)")
                return value
            }
        }
        executor.drain()
        expect(callers.allSatisfy { $0.value == 1 })
        return journal.entries
    }

    @Test func `some seeds find a race, some do not, and each replays exactly`() {
        let traces = (0..<100).map { trace(seed: $0) }
        let races = traces.count { $0.count { $0 == "fetch" } == 2 }
        expectAll(races > 0, races < 100, Set(traces).count > 5)
        expectEqual((0..<100).map { trace(seed: $0) }, traces)
    }

    @Test func `neighbouring seeds choose other orders, and each step is one job`() {
        let orders = (0..<100 as Range<UInt64>).map { seed in
            let (executor, journal) = (SeededExecutor(seed: seed), Journal<Int>())
            for number in 0..<8 { _ = Probe(on: executor) { journal.write(number) } }
            executor.drain()
            return journal.entries
        }
        for start in [0, 1] {
            expect(stride(from: start, to: 98, by: 2).count { orders[$0] != orders[$0 + 1] } > 40)
        }
        let (whole, steps) = (SeededExecutor(seed: 1), SeededExecutor(seed: 1))
        for executor in [whole, steps] { for _ in 0..<5 { _ = Probe(on: executor) { await Task.yield() } } }
        var count = 0
        while steps.run(steps: 1) == 1 { count += 1 }
        expectEqual(count, whole.drain())
    }

    @Test func `a task waits for steps and events, and all that it starts stays on the executor`() {
        // A task that has not finished after draining waits for an event.
        let (executor, gate) = (SeededExecutor(seed: 1), Gate())
        let waiter = Probe(on: executor) { await gate.pass() }
        expectEqual([executor.pending, gate.arrivals], [1, 0])
        expect(executor.drain(), >, 0)
        expectAll(executor.pending == 0, waiter.isRunning, gate.arrivals == 1)
        gate.open()
        expectEqual(executor.pending, 1)
        executor.drain()
        expectAll(waiter.value != nil, executor.drain() == 0)

        // A run of steps stops in the middle.
        do {
            let (executor, journal) = (SeededExecutor(seed: 2), Journal<Int>())
            let writers = (0..<5).map { index in Probe(on: executor) { journal.write(index) } }
            expectAll(executor.run(steps: 2) == 2, journal.count <= 2)
            let left = executor.pending
            expectAll(left > 0, executor.drain() >= left, executor.run(steps: 9) == 0)
            expectAll(Set(journal.entries) == Set(0..<5), writers.allSatisfy { $0.value != nil })
        }

        // Children, actors and yields stay on the executor.
        do {
            let (executor, cache, journal) = (SeededExecutor(seed: 3), NaiveCache(), Journal<String>())
            let parent = Probe(on: executor) {
                async let child = cache.value(1, journal)
                await withDiscardingTaskGroup { group in
                    for _ in 0..<3 { group.addTask { await Task.yield() } }
                }
                return await child
            }
            executor.drain()
            expectEqual(parent.value, 1)
        }
    }
}
