// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

/// The wait of lesson 0½, in every order of its three events, and on threads.
@Suite(.timeLimit(.minutes(1))) struct OneWaitTests {
    private enum Event { case wait, land, cancel }

    @Test(arguments: 0..<6) func `the first event wins, whatever the order of waiting, landing and cancellation`(
        order: Int
    ) {
        let orders: [[Event]] = [
            [.wait, .land, .cancel], [.wait, .cancel, .land], [.land, .wait, .cancel], [.land, .cancel, .wait],
            [.cancel, .wait, .land], [.cancel, .land, .wait],
        ]
        // A task that is cancelled before it waits tells the wait when it begins to.
        let expected = [1, 0, 1, 1, 0, 1]
        let (executor, gate, wait) = (SeededExecutor(seed: 0), Gate(), Lesson0AndAHalf.Wait<Int>())
        let caller = Probe(on: executor) {
            await gate.pass()
            return await wait.wait(onCancel: 0)
        }
        for event in orders[order] {
            switch event {
            case .wait: gate.open()
            case .land: wait.resolve(1)
            case .cancel: caller.cancel()
            }
            executor.drain()
        }
        expectEqual(caller.value, expected[order])
        wait.resolve(2)
        executor.drain()
        expectEqual(caller.value, expected[order])
    }

    @Test func `on threads every wait ends once`() async throws {
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<2_000 {
                let wait = Lesson0AndAHalf.Wait<Int>()
                let caller = Probe { await wait.wait(onCancel: 0) }
                group.addTask {
                    if number % 2 == 0 { caller.cancel() } else { wait.resolve(1) }
                    return try await caller.finish()
                }
                if number % 3 == 0 {
                    group.addTask {
                        wait.resolve(1)
                        return 1
                    }
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(values.count, 2_667)
        expect(values.count { $0 == 1 }, >=, 1_667)
    }
}
