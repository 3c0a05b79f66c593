import TaskCoordination
import Testing
import WebImageTesting

@testable import WebImage

/// Operations on the same keys in every order that a seed can choose.
struct DiskCacheInterleavingTests {
    private static func makeCache(
        _ folder: TemporaryFolder, _ executor: SeededExecutor, clock: any Clock<Duration> = ContinuousClock()
    ) -> DiskCache {
        DiskCache(
            .init(folder: folder.path, sizeLimit: 40_000, clock: clock),
            pool: WorkerPool(name: "disk", width: 3, queueLimit: 100, executor: executor), system: FileSystem(),
            executor: executor)
    }

    @Test func `Stores, reads, removals and a trim of the same keys end with a true account`() throws {
        for seed in 0..<UInt64(300) {
            let folder = try TemporaryFolder()
            let executor = SeededExecutor(seed: seed)
            let cache = Self.makeCache(folder, executor)
            var probes: [Probe<Bool>] = []
            for number in 1...12 {
                let key = CacheKey("\(number % 3)")
                probes.append(
                    Probe(on: executor) {
                        switch number % 4 {
                        case 0:
                            try await cache.remove(key)
                        case 1:
                            guard let found = try await cache.entry(for: key) else { return true }
                            return (1...12).contains { sampleEntry($0, size: 100 * $0).bytes == found.bytes }
                        default:
                            return try await cache.store(sampleEntry(number, size: 100 * number), for: key).isStored
                        }
                        return true
                    })
            }
            probes.append(
                Probe(on: executor) {
                    try await cache.trim(toBytes: 1_000)
                    return true
                })
            // One of the stores is cancelled somewhere on its way; it stores or it does not.
            executor.run(steps: Int(seed % 40))
            probes[1].cancel()
            executor.drain()
            for probe in probes { #expect(probe.value == true || probe.wasCancelled, "seed \(seed)") }
            let total = Probe(on: executor) { await cache.totalBytes }
            executor.drain()
            #expect(total.value == folder.entryBytes, "seed \(seed)")
            #expect(folder.unfinishedFiles.isEmpty, "seed \(seed)")
        }
    }

    @Test func `A shutdown in the midst of stores waits for those it let in and refuses the others`() throws {
        for seed in 0..<UInt64(300) {
            let folder = try TemporaryFolder()
            let executor = SeededExecutor(seed: seed)
            let cache = Self.makeCache(folder, executor, clock: ManualClock())
            let stores = (0..<6).map { number in
                Probe(on: executor) { try await cache.store(sampleEntry(number), for: CacheKey("\(number % 2)")) }
            }
            executor.run(steps: Int(seed % 60))
            let shutdowns = (0..<2).map { _ in
                Probe(on: executor) { await cache.shutdown(within: .seconds(1)) }
            }
            executor.drain()
            #expect(shutdowns[0].value?.abandonedOperations == 0, "seed \(seed)")
            #expect(shutdowns[0].value == shutdowns[1].value, "seed \(seed)")
            for store in stores {
                let outcome = try #require(store.value, "seed \(seed)")
                #expect(outcome.isStored || outcome.error?.code == .shutDown, "seed \(seed)")
            }
            let anyStored = stores.contains { $0.value?.isStored == true }
            #expect(folder.entryFiles.isEmpty != anyStored, "seed \(seed)")
            #expect(folder.unfinishedFiles.isEmpty, "seed \(seed)")
            let late = Probe(on: executor) { try await cache.entry(for: CacheKey("0")) == nil }
            executor.drain()
            #expect(late.value == true, "seed \(seed)")
        }
    }

    @Test func `A shutdown whose time is up reports what it leaves`() throws {
        let folder = try TemporaryFolder()
        let (executor, disk, clock) = (SeededExecutor(seed: 1), SeededExecutor(seed: 2), ManualClock())
        // The disk's executor is not run: a device that does not answer.
        let cache = DiskCache(
            .init(folder: folder.path, clock: clock),
            pool: WorkerPool(name: "disk", width: 1, queueLimit: 10, executor: disk), system: FileSystem(),
            executor: executor)
        let store = Probe(on: executor) { try await cache.store(sampleEntry(), for: CacheKey("k")) }
        executor.drain()
        let shutdown = Probe(on: executor) { await cache.shutdown(within: .seconds(5)) }
        executor.drain()
        clock.advance(by: .seconds(4))
        executor.drain()
        #expect(shutdown.isRunning)
        clock.advance(by: .seconds(1))
        executor.drain()
        #expect(shutdown.value == .init(completedOperations: 0, abandonedOperations: 1))
        // The device answers after all: the operation ends, and only once.
        while disk.drain() + executor.drain() > 0 {}
        #expect(store.value?.isStored == true)
    }
}
