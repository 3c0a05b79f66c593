// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a cache knows when it begins: what it finds in the folder.
@Suite(.replayed)
struct RestartTests {
    private static func key(_ number: Int) -> CacheKey { CacheKey("https://images.example/\(number)") }

    private static func digest(_ number: Int) -> KeyDigest { KeyDigest(of: key(number)) }

    /// More than the steps in which the file of an entry tells its use.
    private static let step = Duration.seconds(40_000)

    /// A stage with entries, of which some were read one after the other.
    private static func makeStage(
        reading numbers: [Int], of count: Int = 10, seed: UInt64 = 1
    ) throws -> (SeededStage, TestTime) {
        let time = TestTime()
        var stage = try SeededStage(seed: seed, maximumByteCount: 1 << 20, time: time)
        for number in 0..<count {
            _ = stage.outcome { try await $0.store(sampleEntry(number), for: key(number)) }
        }
        for number in numbers {
            time.advance(by: step)
            expectEqual(stage.outcome { try await $0.contains(key(number)) }.value, true)
        }
        return (stage, time)
    }

    private static func shutDown(_ cache: DiskCache, in stage: inout SeededStage) {
        let end = Probe(on: stage.executor) { await cache.shutdown(within: .seconds(60)) }
        stage.run()
        expectEqual(end.value?.abandonedOperations, 0)
    }

    private func run<Value: Sendable>(
        _ cache: DiskCache, in stage: inout SeededStage,
        _ body: @escaping @concurrent @Sendable (DiskCache) async throws -> Value
    ) throws -> Value {
        let probe = Probe(on: stage.executor) { try await body(cache) }
        stage.run()
        return try required(probe.result).get()
    }

    private static func index(_ cache: isolated DiskCache) -> DiskIndex { cache.index }

    @Test func `a restart does not forget that an entry lives longer than others before it makes room`() throws {
        let time = TestTime()
        var stage = try SeededStage(seed: 1, maximumByteCount: 1 << 20, time: time)
        var lasting = sampleEntry()
        lasting.metadata.age = .never
        _ = stage.outcome { [lasting] in try await $0.store(lasting, for: Self.key(0)) }
        time.advance(by: .seconds(8 * 86_400))
        for number in 1..<9 {
            _ = stage.outcome { try await $0.store(sampleEntry(number, size: 20_000), for: Self.key(number)) }
        }
        time.advance(by: .seconds(86_400))
        Self.shutDown(stage.cache, in: &stage)
        let second = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
        try run(second, in: &stage) { try await $0.trim(toBytes: 100_000) }
        try expect(run(second, in: &stage) { try await $0.contains(Self.key(0)) })
        try expectEqual(run(second, in: &stage) { await $0.entryCount }, 5)
    }

    @Test
    func `a restart evicts in the order of use, as far as the files tell it, also that of several processes`() throws {
        // A restart evicts in the order of use, as far as the files tell it.
        var random = SeededGenerator(seed: 3)
        let order = (0..<10).shuffled(using: &random)
        var (stage, time) = try Self.makeStage(reading: order)
        Self.shutDown(stage.cache, in: &stage)
        let second = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
        for left in [8, 5, 3] {
            let size = stage.folder.entryBytes / stage.folder.entryFiles.count
            try run(second, in: &stage) { try await $0.trim(toBytes: left * size + left) }
            let kept = Set(order.suffix(stage.folder.entryFiles.count).map { Self.digest($0).fileName })
            expectEqual(Set(stage.folder.entryFiles.keys.map { ($0 as NSString).lastPathComponent }), kept)
        }
        expectEqual(stage.leftovers(of: second), [])

        // Processes that end one after the other leave the uses of both.
        do {
            var (stage, time) = try Self.makeStage(reading: [])
            let other = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            _ = try run(other, in: &stage) { await $0.totalBytes }
            time.advance(by: Self.step)
            _ = try run(stage.cache, in: &stage) { try await $0.contains(Self.key(1)) }
            time.advance(by: Self.step)
            _ = try run(other, in: &stage) { try await $0.contains(Self.key(2)) }
            Self.shutDown(other, in: &stage)
            Self.shutDown(stage.cache, in: &stage)
            let third = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            _ = try run(third, in: &stage) { await $0.totalBytes }
            let index = try run(third, in: &stage) { await Self.index($0) }
            let uses = [0, 1, 2].map { Int(index[Self.digest($0)]?.usedAt ?? 0) }
            expect(uses[1] == uses[0] + 40_000 && uses[2] == uses[0] + 80_000)
        }
    }

    @Test func `a folder that cannot be listed is unknown, but for what was stored since`() throws {
        for seed in 0..<UInt64(20) {
            let faults = FaultPlan()
            var (stage, time) = try Self.makeStage(reading: [3], seed: seed)
            Self.shutDown(stage.cache, in: &stage)
            faults.set { _, call in call == .list ? .failure(EIO) : nil }
            let second = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time, system: faults.system)
            let stored = try run(second, in: &stage) { cache in
                for _ in 0..<2 * seed { await Task.yield() }
                return try await cache.store(sampleEntry(1, size: 900), for: Self.key(1)).isStored
            }
            expect(stored)
            try expectEqual(run(second, in: &stage) { await $0.entryCount }, 1, "seed \(seed)")
            expect(try run(second, in: &stage) { await $0.totalBytes }, >, 900, "seed \(seed)")
            expectEqual(stage.leftovers(of: second), [], "seed \(seed)")
        }
    }

    @Test func `whatever other caches have changed, and this one while it lists, the index is right`() throws {
        for seed in 0..<UInt64(20) {
            var (stage, time) = try Self.makeStage(reading: [1, 2], of: 12, seed: seed)
            Self.shutDown(stage.cache, in: &stage)
            let other = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            try run(other, in: &stage) { cache in
                for number in [1, 20, 21] {
                    _ = try await cache.store(sampleEntry(number, size: 700), for: Self.key(number))
                }
                for number in [2, 3] { try await cache.remove(Self.key(number)) }
            }
            Self.shutDown(other, in: &stage)
            let third = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            // While the folder is listed.
            let store = Probe(on: stage.executor) {
                for _ in 0..<2 * seed { await Task.yield() }
                return try await third.store(sampleEntry(4, size: 900), for: Self.key(4)).isStored
            }
            let removal = Probe(on: stage.executor) {
                for _ in 0..<40 - 2 * seed { await Task.yield() }
                try await third.remove(Self.key(5))
            }
            let bytes = try run(third, in: &stage) { await $0.totalBytes }
            expect(store.value == true && removal.value != nil && bytes > 0, "seed \(seed)")
            let index = try run(third, in: &stage) { await Self.index($0) }
            expectEqual(index.totalBytes, stage.folder.entryBytes, "seed \(seed)")
            expectEqual(index.count, 12 + 2 - 2 - 1, "seed \(seed)")
            expect(index[Self.digest(4)]?.size ?? 0 > 900, "seed \(seed)")
            expectEqual(stage.leftovers(of: third), [], "seed \(seed)")
        }
    }

    @Test(arguments: [EIO, EMFILE])
    func `whichever call fails while the folder is listed, nothing is lost`(number: Int32) throws {
        for place in 1...30 {
            let faults = FaultPlan()
            var (stage, time) = try Self.makeStage(reading: [3], of: 8)
            Self.shutDown(stage.cache, in: &stage)
            let next = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time, system: faults.system)
            faults.set { count, _ in count == place ? .failure(number) : nil }
            _ = try run(next, in: &stage) { await $0.totalBytes }
            expect(faults.count, >, place)
            faults.clear()
            // A folder that was left out is listed before a trim; what is read before is noted.
            for number in 0..<8 {
                let found = try run(next, in: &stage) { try await $0.entry(for: Self.key(number))?.bytes }
                expectEqual(found, sampleEntry(number).bytes, "call \(place)")
            }
            try expectEqual(run(next, in: &stage) { await $0.totalBytes }, stage.folder.entryBytes, "call \(place)")
            expect(stage.folder.unfinishedFiles.isEmpty && stage.folder.openDescriptors.isEmpty, "call \(place)")
            expectEqual(stage.leftovers(of: next), [], "call \(place)")
        }
    }
}
