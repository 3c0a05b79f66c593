// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// A caller reads what the system has in memory, and waits for no device.
struct ReadsInMemoryTests {
    private let key = CacheKey("https://images.example/1.png")

    /// Whether the file system of temporary files tells what is in memory.
    static let isTold: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        let path = folder.path + "/file"
        guard (try? folder.write([1], to: path)) != nil else { return false }
        let system = FileSystem(mayWait: false)
        guard let file = try? system.openInMemory(path) else { return false }
        defer { try? system.close(file) }
        var byte: UInt8 = 0
        return unsafe withUnsafeMutableBytes(of: &byte) { unsafe (try? system.read(file, into: $0)) == 1 }
    }()

    /// A cache that has listed its folder and stored an entry.
    private func makeStage(_ faults: FaultPlan, time: TestTime = TestTime()) throws -> SeededStage {
        var stage = try SeededStage(
            seed: 1, maximumByteCount: 1 << 24, time: time, system: faults.system, readsInMemory: true)
        let key = self.key
        let stored = stage.outcome { cache in
            _ = await cache.totalBytes
            return try await cache.store(sampleEntry(size: 5_000), for: key).isStored
        }
        expectEqual(stored.value, true)
        return stage
    }

    @Test(.enabled(if: isTold))
    func `a caller reads an entry in memory with calls that never wait, but no part of one, and a miss after the end`()
        throws
    {
        // An entry in memory and a missing one are read by the caller, with calls that never wait.
        let faults = FaultPlan()
        let stage = try makeStage(faults)
        let (cache, key, before) = (stage.cache, self.key, faults.count)
        let hit = Probe(on: stage.executor) { try await cache.entry(for: key)?.bytes }
        let miss = Probe(on: stage.executor) { try await cache.entry(for: CacheKey("missing")) == nil }
        stage.runWithoutDisk()
        expectEqual(hit.value, sampleEntry(size: 5_000).bytes)
        let allowed: Set<FileSystem.Call> = [.openInMemory, .status, .readInMemory, .close]
        expectEqual(Set(faults.calls.dropFirst(before)).subtracting(allowed), [])
        expectEqual(
            miss.value, true, "whether a name is missing can be unknown to the system, and then the index says it")
        var rest = stage
        expectEqual(rest.outcome { [await $0.statistics.hits, await $0.statistics.misses] }.value, [1, 1])
        expectEmpty(rest.folder.openDescriptors)
        expectEqual(rest.leftovers(), [])

        // A part in memory is no entry.
        do {
            let faults = FaultPlan()
            var stage = try makeStage(faults)
            let (cache, key) = (stage.cache, self.key)
            faults.set { _, call in call == .readInMemory ? .short(100) : nil }
            let whole = Probe(on: stage.executor) { try await cache.entry(for: key)?.bytes }
            stage.runWithoutDisk()
            expectEqual(whole.value, sampleEntry(size: 5_000).bytes, "in several steps")
            let reads = Journal<Void>()
            faults.set { _, call in
                guard call == .readInMemory else { return nil }
                reads.write(())
                return reads.count > 3 ? .failure(EAGAIN) : .short(1_000)
            }
            let part = Probe(on: stage.executor) { try await cache.entry(for: key)?.bytes }
            stage.runWithoutDisk()
            expect(part.isRunning)
            stage.run()
            expectEqual(part.value, sampleEntry(size: 5_000).bytes)
        }

        // After the end, what is in memory is a miss, too.
        do {
            var stage = try makeStage(FaultPlan())
            let key = self.key
            let end = stage.outcome { await $0.shutdown(within: .seconds(1)) }
            expectEqual(end.value?.abandonedOperations, 0)
            expectEqual(stage.outcome { try await $0.entry(for: key) == nil }.value, true)
        }
    }

    @Test(
        arguments: [FileSystem.Call.openInMemory, .readInMemory],
        [EAGAIN, EIO, ELOOP, ENOSYS, EOPNOTSUPP, EPERM, EINVAL, E2BIG])
    func `what is not in memory is read by a thread, and a system that cannot tell is not asked again`(
        call: FileSystem.Call, number: Int32
    ) throws {
        let faults = FaultPlan()
        var stage = try makeStage(faults)
        let (cache, key) = (stage.cache, self.key)
        faults.set { _, made in made == call ? .failure(number) : nil }
        for turn in 1...2 {
            let before = faults.count
            let read = Probe(on: stage.executor) { try await cache.entry(for: key)?.bytes }
            stage.runWithoutDisk()
            expect(read.isRunning, "the disk does not answer")
            let asked = faults.calls.dropFirst(before).contains(.openInMemory)
            expectEqual(asked, (turn == 1 || [EAGAIN, EIO, ELOOP].contains(number)))
            stage.run()
            expectEqual(read.value, sampleEntry(size: 5_000).bytes)
        }
        expectEqual(stage.outcome { await $0.statistics.hits }.value, 2)
        expectEmpty(stage.folder.openDescriptors)
    }

    @Test(.timeLimit(.minutes(1))) func `a read that would wait fails`() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var byte: UInt8 = 0
        let failure = expectError(SystemFailure.self) {
            try unsafe withUnsafeMutableBytes(of: &byte) {
                _ = unsafe try FileSystem(mayWait: false).read(.init(number: ends[0]), into: $0)
            }
        }
        expect([EAGAIN, EOPNOTSUPP, ENOSYS].contains(failure?.errno))
    }

    @Test(.enabled(if: isTold))
    func `a thread decides about entries that are too old, damaged or too large, and notes uses`() throws {
        let (faults, time) = (FaultPlan(), TestTime())
        var stage = try makeStage(faults, time: time)
        let (cache, key) = (stage.cache, self.key)
        func read(_ expected: Int?, _ comment: Comment) {
            let read = Probe(on: stage.executor) { try await cache.entry(for: key)?.bytes.count ?? 0 }
            stage.runWithoutDisk()
            expect(read.isRunning, comment)
            stage.run()
            expectEqual(read.value, expected ?? 0, comment)
        }
        time.advance(by: .seconds(100_000))
        read(5_000, "a use that is not noted")
        expect(faults.calls.contains(.touch))
        let again = Probe(on: stage.executor) { try await cache.entry(for: key)?.bytes.count }
        stage.runWithoutDisk()
        expectEqual(again.value, 5_000, "noted")
        time.advance(by: .seconds(700_000))
        read(nil, "too old")
        _ = stage.outcome { try await $0.store(sampleEntry(size: (1 << 20) + 1), for: key) }
        read((1 << 20) + 1, "too large")
        _ = stage.outcome { try await $0.store(sampleEntry(), for: key) }
        try stage.folder.write([1, 2, 3], to: cache.files.path(of: KeyDigest(of: key)))
        read(nil, "damaged")
        expectEmpty(stage.folder.entryFiles)
    }

    @Test(.enabled(if: isTold)) func `a variant is compared with its original in memory, or by a thread`() throws {
        let faults = FaultPlan()
        var stage = try makeStage(faults)
        let (cache, original, variant) = (stage.cache, self.key, CacheKey(self.key, suffix: "#small"))
        var entry = sampleEntry(2)
        entry.metadata.madeFrom = ContentGeneration(of: sampleEntry(size: 5_000).bytes)
        let stored = entry
        _ = stage.outcome { try await $0.store(stored, for: variant) }
        let read = Probe(on: stage.executor) { try await cache.entry(for: variant, madeFrom: original)?.bytes }
        stage.runWithoutDisk()
        expectEqual(read.value, stored.bytes)
        // The original cannot be read without waiting: that says nothing about the variant.
        let opens = Journal<Void>()
        faults.set { _, call in
            guard call == .openInMemory else { return nil }
            opens.write(())
            return opens.count % 2 == 0 ? .failure(EAGAIN) : nil
        }
        _ = stage.outcome { try await $0.store(sampleEntry(3), for: original) }
        let other = Probe(on: stage.executor) { try await cache.entry(for: variant, madeFrom: original) == nil }
        stage.runWithoutDisk()
        expect(other.isRunning)
        stage.run()
        expectEqual(other.value, true)
        expectEqual(stage.folder.entryFiles.count, 1)
    }
}
