// SPDX-License-Identifier: MIT
import TaskCoordination
import WebImageTesting

@testable import WebImage

/// A cache whose actor and disk run step by step, each in the order of its seed.
///
/// It has two executors: on a single one, work for the disk would run within the step of its caller, without other
/// steps between.
struct SeededStage {
    let folder: TemporaryFolder
    let cache: DiskCache
    let executor: SeededExecutor
    private let disk: SeededExecutor
    private var random: SeededGenerator

    init(
        seed: UInt64, maximumByteCount: Int = 40_000, time: TestTime = TestTime(), warnings: WarningLog = WarningLog(),
        system: FileSystem = FileSystem(), clock: any Clock<Duration> = ContinuousClock(),
        sweepInterval: Duration = .seconds(3_600), readsInMemory: Bool = false
    ) throws {
        // A file system in memory does not tell what is in memory.
        folder = try TemporaryFolder(isInMemory: !readsInMemory)
        executor = SeededExecutor(seed: seed)
        disk = SeededExecutor(seed: ~seed)
        random = SeededGenerator(seed: seed)
        let configuration = DiskCache.Configuration(
            folder: folder.path, maximumByteCount: maximumByteCount, sweepInterval: sweepInterval,
            onWarning: { warnings.append($0) }, now: { time.now }, clock: clock)
        cache = DiskCache(
            configuration, pool: WorkerPool(name: "disk", width: 3, maximumQueueLength: 100, executor: disk),
            system: system,
            executor: executor, readsInMemory: readsInMemory)
    }

    /// Another cache on the folder, as another process would have.
    func makeNeighbour(
        maximumByteCount: Int, time: TestTime = TestTime(), system: FileSystem = FileSystem()
    ) -> DiskCache {
        DiskCache(
            .init(folder: folder.path, maximumByteCount: maximumByteCount, now: { time.now }),
            pool: WorkerPool(name: "disk", width: 3, maximumQueueLength: 100, executor: disk), system: system,
            executor: executor)
    }

    /// The tables and counters that are not empty although nothing runs; each is a leak.
    mutating func leftovers(of cache: DiskCache? = nil) -> [String] {
        let probe = Probe(on: executor) { [cache = cache ?? self.cache] in await cache.leftovers }
        run()
        return probe.value ?? ["no answer"]
    }

    /// Runs at most this many steps, until nothing is left to run.
    mutating func run(steps: Int = .max) {
        var left = steps
        while left > 0, executor.pending + disk.pending > 0 {
            let isDisk = executor.pending == 0 || (disk.pending > 0 && Bool.random(using: &random))
            left -= (isDisk ? disk : executor).run(steps: 1)
        }
    }

    /// The jobs that wait for a thread of the disk.
    var queuedDiskJobs: Int { disk.pending }

    /// Runs no work of the disk, like a device that does not answer.
    func runWithoutDisk() { executor.drain() }

    /// The result of an operation after all steps have run.
    mutating func outcome<Value: Sendable>(
        of body: @escaping @concurrent @Sendable (DiskCache) async throws -> Value
    ) -> Probe<Value> {
        let cache = self.cache
        let probe = Probe(on: executor) { try await body(cache) }
        run()
        return probe
    }
}
