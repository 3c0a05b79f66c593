// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Readers that wait until a key is written.
@Suite(.balanced, .timeLimit(.minutes(1))) struct SettlingTests {
    private static let key = CacheKey("key")

    @Test(arguments: seeds)
    func `a reader that settles a key waits for its write alone, and no two are written at once`(seed: UInt64) throws {
        // A reader that settles a key waits for its write and for no other.
        let scenario = try WriteBehindScenario(seed: seed)
        _ = scenario.look { await $0.submit(for: Self.key, byteCount: 0) { sampleEntry(1) } }
        let reader = scenario.start { await $0.settle(Self.key) }
        let leaver = scenario.start { await $0.settle(Self.key) }
        let other = scenario.start { await $0.settle(CacheKey("other")) }
        scenario.stage.runWithoutDisk()
        leaver.cancel()
        scenario.stage.runWithoutDisk()
        expect(reader.isRunning && !leaver.isRunning && !other.isRunning)
        expectEqual(
            scenario.look { await $0.entryCount }, 3,
            "the write, its period and the reader: what has left leaves nothing behind")
        scenario.stage.run()
        expectAll(!reader.isRunning, scenario.look { await $0.entryCount } == 0)
        // The only one that waits, for a key or for all.
        _ = scenario.look { await $0.submit(for: Self.key, byteCount: 0) { sampleEntry(1) } }
        let lone = [scenario.start { await $0.settle(Self.key) }, scenario.start { await $0.flush() }]
        scenario.stage.runWithoutDisk()
        for one in lone { one.cancel() }
        scenario.stage.runWithoutDisk()
        expect(lone.allSatisfy { !$0.isRunning })
        expectEqual(scenario.look { await $0.entryCount }, 2, "the write and its period")
        scenario.stage.run()

        // A reader that settles a key does not let two contents be written at once.
        do {
            let scenario = try WriteBehindScenario(seed: seed)
            let gate = Gate()
            _ = scenario.look { writes in
                await writes.submit(for: Self.key, byteCount: 0) {
                    await gate.pass()
                    return sampleEntry(1)
                }
            }
            _ = scenario.look { await $0.submit(for: Self.key, byteCount: 0) { sampleEntry(2) } }
            let reader = scenario.start { await $0.settle(Self.key) }
            scenario.stage.run()
            expect(reader.isRunning)
            gate.open()
            scenario.stage.run()
            expect(!reader.isRunning)
            expectEqual(scenario.stored(Self.key), sampleEntry(2).bytes)
        }
    }

    @Test(arguments: seeds) func `a writer rises with the tasks that wait for it`(seed: UInt64) throws {
        let scenario = try WriteBehindScenario(seed: seed)
        let (gate, journal) = (Gate(), Journal<TaskPriority>())
        _ = scenario.look { writes in
            await writes.submit(for: Self.key, byteCount: 0) {
                await gate.pass()
                journal.write(Task.currentPriority)
                return sampleEntry(1)
            }
        }
        let reader = scenario.start(priority: .high) { await $0.settle(Self.key) }
        scenario.stage.run()
        gate.open()
        scenario.stage.run()
        expectAll(!reader.isRunning, journal.entries == [.high])
    }

    @Test(arguments: seeds) func `abandoning cancels the writers and resumes the readers that settle, now and later`(
        seed: UInt64
    ) throws {
        let scenario = try WriteBehindScenario(seed: seed)
        let (gate, journal) = (Gate(), Journal<Bool>())
        _ = scenario.look { writes in
            await writes.submit(for: Self.key, byteCount: 0) {
                await gate.pass()
                journal.write(Task.isCancelled)
                return sampleEntry(1)
            }
        }
        let early = scenario.start { await $0.settle(Self.key) }
        scenario.stage.runWithoutDisk()
        expect(early.isRunning)
        _ = scenario.look { await $0.abandon() }
        let late = scenario.start { await $0.settle(Self.key) }
        scenario.stage.runWithoutDisk()
        expectAll(!early.isRunning, !late.isRunning)
        gate.open()
        scenario.stage.run()
        expectEqual(journal.entries, [true])
    }
}
