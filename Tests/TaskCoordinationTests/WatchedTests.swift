// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@Suite struct WatchedTests {
    @Test(arguments: fewerSeeds)
    func `a change resumes the tasks that it answers, in their order, and no other`(seed: UInt64) {
        let (executor, number, journal) = (SeededExecutor(seed: seed), Watched(0), Journal<Int>())
        let waiters = [3, 1, 2, 3].map { least in
            let waiter = Probe(on: executor) {
                await number.answer { found -> Int? in
                    guard found >= least else { return nil }
                    journal.write(least)
                    return found
                }
            }
            executor.drain()
            return waiter
        }
        expectEqual(number.watcherCount, 4)
        number.change { $0 = 2 }
        executor.drain()
        expectEqual(waiters.map { $0.value ?? nil }, [nil, 2, 2, nil])
        expectEqual(number.watcherCount, 2)
        expectEqual(
            number.change { number in
                number = 3
                return -number
            }, -3)
        number.change { $0 = 4 }
        executor.drain()
        expectEqual(waiters.map { $0.value ?? nil }, [3, 2, 2, 3])
        expectEqual(journal.entries, [1, 2, 3, 3])
        expectAll(number.watcherCount == 0, number.value == 4, number.read { $0 + 1 } == 5)

        // A question that has an answer does not wait, also in a cancelled task.
        let late = Probe(on: executor) { await number.answer { $0 > 3 ? "more" : nil } }
        late.cancel()
        executor.drain()
        expectEqual(late.value, "more")
    }

    @Test(arguments: fewerSeeds)
    func `a cancelled wait, also one that has not begun, leaves nothing behind and disturbs no other`(seed: UInt64) {
        let (executor, word) = (SeededExecutor(seed: seed), Watched<String?>(nil))
        let waiters = (0..<20).map { _ in Probe(on: executor) { await word.answer { $0 } } }
        executor.drain()
        expectEqual(word.watcherCount, 20)
        for waiter in waiters.dropLast() { waiter.cancel() }
        // One that is cancelled before it begins.
        let early = Probe(on: executor) { await word.answer { $0 } }
        early.cancel()
        // One that ignores its cancellation.
        let patient = Probe(on: executor) { await word.answer(ignoringCancellation: true) { $0 } }
        patient.cancel()
        executor.drain()
        for waiter in waiters.dropLast() + [early] { expectAll(!waiter.isRunning, waiter.value == .some(nil)) }
        expectAll(patient.isRunning, waiters[19].isRunning, word.watcherCount == 2)
        word.change { $0 = "end" }
        executor.drain()
        expectAll(patient.value == "end", waiters[19].value == "end", word.watcherCount == 0)
    }
}
