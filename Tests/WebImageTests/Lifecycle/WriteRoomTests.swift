// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The room for writes, in bytes, and the waits for it.
@Suite(.balanced, .timeLimit(.minutes(1))) struct WriteRoomTests {
    /// A submission of an empty write, which takes one place.
    private static func submit(_ number: Int, to scenario: WriteBehindScenario) -> Probe<Void> {
        scenario.start { await $0.submit(for: CacheKey("\(number)"), byteCount: 0) { sampleEntry(number) } }
    }

    @Test(arguments: seeds) func `a burst waits for room and loses nothing`(seed: UInt64) throws {
        let scenario = try WriteBehindScenario(seed: seed, room: 2)
        let submissions = (0..<9).map { Self.submit($0, to: scenario) }
        scenario.stage.runWithoutDisk()
        expectEqual(submissions.count { $0.isRunning }, 7, "two have their places")
        expectEqual(scenario.look { await $0.pendingByteCount }, 2 * 1_024)
        scenario.stage.run()
        expect(submissions.allSatisfy { !$0.isRunning })
        for number in 0..<9 { expectEqual(scenario.stored(CacheKey("\(number)")), sampleEntry(number).bytes) }
        #expect(scenario.look { await ($0.droppedCount, $0.entryCount) } ?? (1, 1) == (0, 0))
    }

    @Test(arguments: seeds)
    func `all that a write keeps counts for the room, and one that replaces another takes its own`(
        seed: UInt64
    ) throws {
        // Keys, and what a change keeps, count for the room.
        let scenario = try WriteBehindScenario(seed: 1, room: 8)
        let keys = (0..<3).map { CacheKey(String(repeating: "k", count: 3_000) + "\($0)") }
        let submissions = keys.map { key in
            scenario.start { await $0.submit(for: key, byteCount: 0) { sampleEntry(1) } }
        }
        scenario.stage.runWithoutDisk()
        expectEqual(submissions.count { $0.isRunning }, 1, "two have their places")
        scenario.stage.run()
        _ = Self.submit(1, to: scenario)
        scenario.stage.runWithoutDisk()
        _ = scenario.look { await $0.renew(CacheKey("1"), ifContentIs: nil, byteCount: 5_000) { _ in } }
        expectEqual(scenario.look { await $0.pendingByteCount }, 1_024 + 5_000 + 1_024)
        scenario.stage.run()

        // A write that replaces a waiting one takes its room.
        do {
            let scenario = try WriteBehindScenario(seed: seed, room: 3)
            for number in 0..<2 {
                let isTaken = scenario.look {
                    await $0.submitIfRoom(for: CacheKey("key"), byteCount: 0) { sampleEntry(number) }
                }
                expectEqual(isTaken, true)
            }
            let isTaken = scenario.look {
                await $0.submitIfRoom(for: CacheKey("key"), byteCount: 1_024) { sampleEntry(2) }
            }
            expectEqual(isTaken, true)
            expectEqual(scenario.look { await $0.pendingByteCount }, 3 * 1_024)
            scenario.stage.run()
            expectEqual(scenario.stored(CacheKey("key")), sampleEntry(2).bytes)
        }

        // A change that follows a waiting write keeps its memory as well.
        do {
            let scenario = try WriteBehindScenario(seed: seed, room: 8)
            for size in [0, 3_000] {
                _ = scenario.look {
                    await $0.submitIfRoom(for: CacheKey("key"), byteCount: size) { sampleEntry(0) }
                }
            }
            _ = scenario.look { await $0.renew(CacheKey("key"), ifContentIs: nil) { _ in } }
            expectEqual(scenario.look { await $0.pendingByteCount }, 2 * 1_024 + 3_000)
            scenario.stage.run()
            expectEqual(scenario.look { await $0.pendingByteCount }, 0)
        }

        // A write above the limit is made when there is no other.
        do {
            let scenario = try WriteBehindScenario(seed: seed, room: 2)
            let large = scenario.start { await $0.submit(for: CacheKey("large"), byteCount: .max) { sampleEntry(1) } }
            let small = Self.submit(2, to: scenario)
            scenario.stage.runWithoutDisk()
            expectEqual([large, small].count { $0.isRunning }, 1)
            scenario.stage.run()
            expectAll(scenario.stored(CacheKey("large")) != nil, scenario.stored(CacheKey("2")) != nil)
        }
    }

    @Test(arguments: seeds)
    func `a submission that is cancelled at any time is either taken or dropped, and no other`(seed: UInt64) throws {
        // A submission that is cancelled while it waits is dropped, and no other.
        let dropped = Journal<CacheKey>()
        let scenario = try WriteBehindScenario(seed: seed, room: 1, onDrop: { dropped.write($0) })
        var submissions: [Probe<Void>] = []
        for number in 0..<4 {
            submissions.append(Self.submit(number, to: scenario))
            scenario.stage.runWithoutDisk()
        }
        submissions[1].cancel()
        if seed.isMultiple(of: 2) { scenario.stage.runWithoutDisk() }
        scenario.stage.run()
        expect(submissions.allSatisfy { !$0.isRunning })
        expectEqual(dropped.entries, [CacheKey("1")])
        for number in [0, 2, 3] { expect(scenario.stored(CacheKey("\(number)")) != nil) }
        #expect(scenario.look { await ($0.pendingByteCount, $0.entryCount) } ?? (1, 1) == (0, 0))

        // A submission that is cancelled at any time is either taken or dropped.
        do {
            let dropped = Journal<CacheKey>()
            let scenario = try WriteBehindScenario(seed: seed, room: 1, onDrop: { dropped.write($0) })
            let submissions = (0..<3).map { Self.submit($0, to: scenario) }
            scenario.stage.run(steps: .random(in: 0...60, using: &scenario.random))
            submissions[1].cancel()
            scenario.stage.run()
            expect(submissions.allSatisfy { !$0.isRunning })
            expect(dropped.entries.isEmpty || dropped.entries == [CacheKey("1")])
            expectEqual((scenario.stored(CacheKey("1")) == nil), !dropped.entries.isEmpty)
            #expect(
                scenario.look { await ($0.pendingCount, $0.pendingByteCount, $0.entryCount) } ?? (1, 1, 1) == (0, 0, 0))
        }
    }

    @Test func `no write overtakes one that waits for room, and those behind go on when it leaves`() throws {
        let scenario = try WriteBehindScenario(seed: 1, room: 2)
        let submissions = [(0, "0"), (5_000, "1"), (0, "2"), (2_000, "3"), (2_000, "3")].map { size, key in
            defer { scenario.stage.runWithoutDisk() }
            return scenario.start { await $0.submit(for: CacheKey(key), byteCount: size) { sampleEntry(1) } }
        }
        expectEqual(submissions.map(\.isRunning), [false, true, true, true, true])
        submissions[1].cancel()
        scenario.stage.runWithoutDisk()
        expectEqual(submissions.map(\.isRunning), [false, false, false, true, true])
        // One of two writes of a key leaves.
        let reader = scenario.start { await $0.settle(CacheKey("3")) }
        scenario.stage.runWithoutDisk()
        submissions[3].cancel()
        scenario.stage.runWithoutDisk()
        expect(reader.isRunning)
        scenario.stage.run()
        expectAll(!reader.isRunning, scenario.stored(CacheKey("3")) != nil)
        #expect(scenario.look { await ($0.droppedCount, $0.entryCount) } ?? (1, 1) == (2, 0))
    }

    @Test(arguments: seeds)
    func `a flush waits for what was submitted before and what replaces that, and no more`(seed: UInt64) throws {
        // A flush waits for what was submitted before it, and for nothing later.
        let scenario = try WriteBehindScenario(seed: seed, room: 2)
        let before = (0..<4).map { Self.submit($0, to: scenario) }
        scenario.stage.runWithoutDisk()
        let flush = scenario.start { await $0.flush() }
        scenario.stage.runWithoutDisk()
        expect(flush.isRunning)
        let gate = Gate()
        let later = scenario.start { writes in
            await writes.submit(for: CacheKey("later"), byteCount: 0) {
                await gate.pass()
                return sampleEntry(9)
            }
        }
        scenario.stage.run()
        expectAll(before.allSatisfy { !$0.isRunning }, !later.isRunning, !flush.isRunning)
        for number in 0..<4 { expect(scenario.stored(CacheKey("\(number)")) != nil) }
        let second = scenario.start { await $0.flush() }
        scenario.stage.run()
        expect(second.isRunning)
        gate.open()
        scenario.stage.run()
        expect(!second.isRunning)
        expectEqual(scenario.look { await $0.entryCount }, 0)

        // A flush waits for the content that replaces what it waits for.
        do {
            let scenario = try WriteBehindScenario(seed: seed)
            let key = CacheKey("key")
            for number in 0..<2 {
                _ = scenario.look { await $0.submit(for: key, byteCount: 0) { sampleEntry(number) } }
            }
            let flush = scenario.start { await $0.flush() }
            scenario.stage.runWithoutDisk()
            let gate = Gate()
            _ = scenario.look { writes in
                await writes.submit(for: key, byteCount: 0) {
                    await gate.pass()
                    return sampleEntry(2)
                }
            }
            scenario.stage.run()
            expect(flush.isRunning)
            gate.open()
            scenario.stage.run()
            expect(!flush.isRunning)
            expectEqual(scenario.stored(key), sampleEntry(2).bytes)
        }
    }

    @Test(arguments: seeds) func `abandoning ends every wait, and counts what waited as dropped`(seed: UInt64) throws {
        let scenario = try WriteBehindScenario(seed: seed, room: 1)
        let submissions = (0..<5).map { Self.submit($0, to: scenario) }
        scenario.stage.runWithoutDisk()
        let flush = scenario.start { await $0.flush() }
        scenario.stage.runWithoutDisk()
        _ = scenario.look { await $0.abandon() }
        expectAll(submissions.allSatisfy { !$0.isRunning }, !flush.isRunning)
        scenario.stage.run()
        let dropped = scenario.look { await $0.droppedCount } ?? 0
        let stored = scenario.stage.outcome { await $0.statistics.stores }.value ?? 0
        expectEqual(dropped + stored, 5)
        #expect(scenario.look { await ($0.pendingByteCount, $0.entryCount) } ?? (1, 1) == (0, 0))
    }

    @Test(arguments: seeds) func `a change of a stored entry comes after the writes submitted before it`(seed: UInt64)
        throws
    {
        let scenario = try WriteBehindScenario(seed: seed)
        let (key, content) = (CacheKey("key"), sampleEntry(2).metadata.generation)
        _ = scenario.start { writes in
            await writes.submit(for: key, byteCount: 0) { sampleEntry(1) }
            await writes.submit(for: key, byteCount: 0) { sampleEntry(2) }
            await writes.renew(key, ifContentIs: content) { $0.etag = "first" }
            await writes.renew(key, ifContentIs: content) { $0.etag = "second" }
            await writes.renew(CacheKey("none"), ifContentIs: nil) { $0.etag = "none" }
        }
        scenario.stage.run()
        let entry = scenario.stage.outcome { try await $0.entry(for: key) }.value ?? nil
        expectEqual(entry?.bytes, sampleEntry(2).bytes)
        expectEqual(entry?.metadata.etag, "second")
        #expect(scenario.look { await ($0.droppedCount, $0.entryCount) } ?? (1, 1) == (0, 0))
    }

    @Test func `at most 64 keys are written at a time`() throws {
        let scenario = try WriteBehindScenario(seed: 1)
        for number in 0..<100 {
            _ = scenario.look { await $0.submit(for: CacheKey("\(number)"), byteCount: 0) { sampleEntry(number) } }
        }
        #expect(scenario.look { await ($0.writers.count, $0.pendingCount) } ?? (0, 0) == (64, 100))
        scenario.stage.run()
        expectEqual(scenario.look { await $0.entryCount }, 0)
    }
}
