// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The extreme values of every number that a caller can give: they are clamped and never trap.
struct CacheLimitTests {
    private static let numbers = [Int.min, -1, 0, 1, .max]
    private static let durations: [Duration] = [
        .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(Int64.max),
        .seconds(Int64.max) * 18, .seconds(Int64.min) * 18,
    ]
    /// A field or parameter with a value, and what to do with it.
    private struct Case {
        var name: String
        var configuration = DiskCache.Configuration()
        var trimmedSize = 200
        var shutdownLimit: Duration?
    }

    private static var cases: [Case] {
        var cases: [Case] = []
        for number in numbers {
            cases.append(Case(name: "maximumByteCount \(number)", configuration: .init(maximumByteCount: number)))
            cases.append(
                Case(name: "minimumFreeByteCount \(number)", configuration: .init(minimumFreeByteCount: number)))
            cases.append(Case(name: "threads \(number)", configuration: .init(threads: number)))
            cases.append(Case(name: "maximumQueueLength \(number)", configuration: .init(maximumQueueLength: number)))
            cases.append(Case(name: "trim \(number)", trimmedSize: number))
        }
        for duration in durations {
            cases.append(Case(name: "maximumAge \(duration)", configuration: .init(maximumAge: duration)))
            cases.append(Case(name: "sweepInterval \(duration)", configuration: .init(sweepInterval: duration)))
            cases.append(Case(name: "now \(duration)", configuration: .init(now: { duration })))
            cases.append(Case(name: "shutdown \(duration)", shutdownLimit: duration))
        }
        return cases
    }

    @Test func `no value of a disk cache's limits traps`() async throws {
        for var one in Self.cases {
            let folder = try TemporaryFolder(isInMemory: true)
            one.configuration.folder = folder.path
            do {
                if let limit = one.shutdownLimit {
                    try await Self.endInTheMidst(of: one.configuration, within: limit)
                } else {
                    try await Self.use(one.configuration, trimmingTo: one.trimmedSize)
                }
            } catch {
                Issue.record("\(one.name): \(error)")
            }
        }
        expectEqual(Self.cases.count, 53)
        for (asked, width) in [(-1, 1), (3, 3), (1_000, 64)] {
            await expectEqual(DiskCache(.init(threads: asked)).pool.width, width)
        }
    }

    @Test(arguments: [0, -1, .min])
    func `a limit of zero and less is no limit, but for a quarter of the memory, and a share of it under pressure`(
        limit: Int
    ) async throws {
        // A limit of zero and less is no limit.
        let folder = try TemporaryFolder(isInMemory: true)
        let disk = DiskCache(.init(folder: folder.path, maximumByteCount: limit))
        expectEqual(disk.fileSizeLimit, MemoryBudget.processLimit / 4)
        for number in 0..<20 { _ = try await disk.store(sampleEntry(number, size: 50_000), for: CacheKey("\(number)")) }
        await expectEqual(disk.entryCount, 20)
        let memory = MemoryCache<Int, Int>(.init(maximumCost: limit, maximumCount: limit))
        for key in 0..<2_000 { memory.store(key, for: key, cost: 1 << 40) }
        expectEqual(memory.statistics.count, 2_000)
        await memory.updateLimits(maximumCost: 100, maximumCount: limit)
        for key in 0..<200 { memory.store(key, for: key, cost: 1) }
        expectEqual(memory.statistics.count, 100)
        await memory.updateLimits(maximumCost: limit, maximumCount: 3)
        for key in 0..<200 { memory.store(key, for: key, cost: 1 << 40) }
        expectEqual(memory.statistics.count, 3)

        // No entry is larger than a quarter of the memory, however large the cache.
        expectEqual(DiskCache(.init(maximumByteCount: .max)).fileSizeLimit, MemoryBudget.processLimit / 4)
        expectEqual(DiskCache(.init(maximumByteCount: 80_000)).fileSizeLimit, 10_000)
        expectEqual(DiskCache(.init(maximumByteCount: 1)).fileSizeLimit, EntryHeader.length)

        // A memory cache without a limit keeps a share of the default limit under pressure.
        do {
            let memory = MemoryCache<Int, Int>(.init(maximumCost: 0, maximumCount: 0))
            let cost = MemoryBudget.defaultMaximumCost / 100
            for key in 0..<300 { memory.store(key, for: key, cost: cost) }
            await memory.respond(to: .warning)
            expect(memory.statistics.cost, <=, MemoryBudget.defaultMaximumCost / 2)
            expect(memory.statistics.count, >=, 49)
            await memory.respond(to: .normal)
            for key in 0..<300 { memory.store(key, for: key, cost: cost) }
            expectEqual(memory.statistics.count, 300)
        }
    }

    @Test func `a store that would leave too little space is refused, and makes room for later ones`() async throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let warnings = WarningLog()
        let time = TestTime()
        let configuration = DiskCache.Configuration(folder: folder.path, now: { time.now })
        let cache = DiskCache(configuration)
        for number in 0..<40 { _ = try await cache.store(sampleEntry(number), for: CacheKey("\(number)")) }
        await expectEqual(cache.shutdown(within: .seconds(60)).abandonedOperations, 0)
        var strict = configuration
        strict.minimumFreeByteCount = .max
        strict.onWarning = { warnings.append($0) }
        let other = DiskCache(strict)
        await expectEqual(other.entryCount, 40)
        try await expectEqual(other.store(sampleEntry(), for: CacheKey("new")).error?.code, .diskFull)
        expectEqual(warnings.codes, [.diskFull])
        await expect(other.entryCount, <, 40)
        try await expectNil(other.entry(for: CacheKey("new")))
        strict.minimumFreeByteCount = 1
        try await expect(DiskCache(strict).store(sampleEntry(), for: CacheKey("new")).isStored)
        // What the file takes counts.
        let files = EntryFiles(folder: folder.path, isSynced: false)
        let left = try files.system.freeByteCount(folder.path)
        expect(files.hasRoom(for: left / 4, leaving: left / 2))
        expect(!files.hasRoom(for: left / 2, leaving: left / 4 * 3))
    }

    /// Runs some operations of every kind.
    @concurrent private static func use(
        _ configuration: DiskCache.Configuration, trimmingTo size: Int
    ) async throws {
        let (cache, key) = (DiskCache(configuration), CacheKey("k"))
        for number in 0..<3 { _ = try await cache.store(sampleEntry(number), for: CacheKey("\(number)")) }
        _ = try await cache.store(sampleEntry(), for: key)
        _ = try await cache.entry(for: key)
        _ = try await cache.metadata(for: key)
        _ = await cache.totalBytes
        _ = try await cache.removeExpired()
        try await cache.trim(toBytes: size)
        try await cache.removeAll()
        await expectEqual(cache.totalBytes, 0)
        _ = await cache.shutdown(within: .seconds(60))
    }

    /// Shuts down while an operation runs, so that the time limit is used.
    @concurrent private static func endInTheMidst(
        of configuration: DiskCache.Configuration, within limit: Duration
    ) async throws {
        let (cache, key) = (DiskCache(configuration), CacheKey("k"))
        let digest = KeyDigest(of: key)
        try await cache.takeTurn(digest)
        let store = Task { try await cache.store(sampleEntry(), for: key) }
        while await cache.turns.waiting(for: digest) == 0 { await Task.yield() }
        let shutdown = Task { await cache.shutdown(within: limit) }
        while await cache.life.isOpen { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        await cache.passTurn(digest)
        _ = await shutdown.value
        _ = try await store.value
    }

    @Test(arguments: numbers) func `no value of a memory cache's limits traps`(number: Int) async {
        let configurations: [MemoryCache<Int, Int>.Configuration] = [
            .init(maximumCost: number), .init(maximumCost: 800, maximumCount: number),
            .init(maximumCost: number, maximumCount: number),
        ]
        for configuration in configurations {
            let cache = MemoryCache<Int, Int>(configuration)
            for key in 0..<40 {
                cache.store(key, for: key, cost: key)
                cache.store(key, for: key, cost: number)
                _ = cache.value(for: key / 2)
            }
            await cache.trim(toCost: number)
            await cache.updateLimits(maximumCost: number, maximumCount: number)
            cache.store(1, for: 1, cost: 1)
            await cache.updateLimits(maximumCost: 100, maximumCount: 10)
            expect(cache.statistics.cost, <=, 100)
            await cache.removeAll()
            expectEqual(cache.statistics.cost, 0)
        }
    }
}
