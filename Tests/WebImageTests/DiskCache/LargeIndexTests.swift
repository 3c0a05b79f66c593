// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The index of a folder with very many entries.
struct LargeIndexTests {
    /// Fills the index, without files.
    private static func fill(_ count: Int, _ cache: isolated DiskCache) {
        for number in 0..<count {
            let mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            cache.index.set(
                KeyDigest(high: mixed, low: mixed &* 31), size: 100 + number % 1_000, storedAt: cache.now,
                usedAt: cache.now - Int64(number % 100_000))
        }
    }

    @Test func `choosing what goes leaves the actor to other operations, which may change the index`() throws {
        var stage = try SeededStage(seed: 1, maximumByteCount: 1 << 40)
        let cache = stage.cache
        _ = stage.outcome { await $0.totalBytes }
        _ = stage.outcome { await Self.fill(50_000, $0) }
        let trim = Probe(on: stage.executor) { await cache.trimSlice(toFree: 1_000_000) }
        stage.runWithoutDisk()
        expect(trim.isRunning)
        let other = Probe(on: stage.executor) {
            await cache.note(KeyDigest(high: 1, low: 1), size: 5, storedAt: cache.now)
            await expectEmpty(cache.plannedVictims, "a thread chooses")
            return await cache.statistics.entryCount
        }
        stage.runWithoutDisk()
        expectEqual(other.value, 50_001)
        stage.run()
        expect(trim.value ?? 0 > 0)
        expectEqual(stage.outcome { await $0.statistics.entryCount }.value, 50_001 - (trim.value ?? 0))
    }

    @Test(arguments: 0..<20) func `operations that make room at once do not choose the same entries`(seed: UInt64)
        throws
    {
        var stage = try SeededStage(seed: seed, maximumByteCount: 1 << 20)
        for number in 0..<300 {
            _ = stage.outcome { try await $0.store(sampleEntry(number), for: CacheKey("\(number)")) }
        }
        let cache = stage.cache
        let trims = (0..<3).map { _ in Probe(on: stage.executor) { await cache.trimSlice(toFree: 100_000) } }
        stage.run()
        let counts = trims.compactMap(\.value)
        expectEqual(counts.count, 3)
        expect(counts.allSatisfy { $0 > 10 })
        expectEqual(stage.folder.entryFiles.count, 300 - counts.reduce(0, +))
        expectEqual(stage.leftovers(), [])
    }
}
