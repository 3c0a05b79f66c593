import Foundation
import WebImage

/// The rounds against one world, and what is counted before, between and after.
struct Trial {
    private let kind: World.Kind
    private let options: Options

    init(_ kind: World.Kind, _ options: Options) {
        self.kind = kind
        self.options = options
    }

    /// - Returns: Whether nothing stayed.
    func run() async throws -> Bool {
        print("\n\(kind.rawValue)")
        await wakeThreads()
        let start = try Vitals.now()
        let world = try World(kind, seed: options.seed)
        let prefetcher = ImagePrefetcher(manager: world.manager)
        // Caches, pools and the allocator take what they need; from then on memory is flat.
        await rounds(max(1_000, options.rounds / 10), seed: ~options.seed, in: world, prefetcher)
        await settle(world)
        let warm = try Vitals.now()
        await rounds(options.rounds, seed: options.seed, in: world, prefetcher)
        await settle(world)
        let (occupancy, counters) = (await world.manager.occupancy, world.manager.counters)
        let later = try Vitals.now()
        await prefetcher.shutdown()
        let watchdog = Watchdog(after: .seconds(30), "The manager does not come to its end: something never unwinds.")
        let report = await world.end()
        watchdog.stop()
        let end = try Vitals.now()
        print(
            "  calls \(counters.requests): \(counters.finished) finished, \(counters.cancelled) cancelled,"
                + " \(counters.failed) failed; \(counters.downloads) transfers")
        var ledger = Ledger()
        ledger.check(
            "calls that never ended", counters.requests - counters.finished - counters.cancelled - counters.failed,
            atMost: 0)
        ledger.check("live callers", occupancy.callers, atMost: 0)
        ledger.check("live flights", occupancy.flights, atMost: 0)
        ledger.check("queued slots", occupancy.queuedDownloads + occupancy.queuedWork, atMost: 0)
        ledger.check("taken slots", occupancy.runningDownloads + occupancy.runningWork, atMost: 0)
        ledger.check("pending writes", occupancy.pendingWrites, atMost: 0)
        ledger.check("loads dropped at the end", report.cancelledLoadCount, atMost: 0)
        ledger.compare("open descriptors", start.descriptors, later.descriptors, end.descriptors, slack: 0)
        ledger.compare("threads", start.threads, later.threads, end.threads, slack: 0)
        ledger.check(
            "resident memory, kB: \(warm.residentMemory >> 10) before, \(later.residentMemory >> 10) after; growth",
            (later.residentMemory - warm.residentMemory) >> 10, atMost: 8 << 10)
        return ledger.isClean
    }

    /// A fixed number of workers share the rounds. Each draws from its own seed.
    private func rounds(_ count: Int, seed: UInt64, in world: World, _ prefetcher: ImagePrefetcher) async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<options.workers {
                let share = count / options.workers + (worker < count % options.workers ? 1 : 0)
                group.addTask {
                    var random = SeededRandom(seed: seed &+ UInt64(worker) << 32)
                    for _ in 0..<share {
                        await Round(in: world, using: &random).run(with: world.manager, prefetcher)
                    }
                }
            }
        }
    }

    /// Waits until the manager is idle, five seconds at most: a cancelled call returns before its work has unwound.
    private func settle(_ world: World) async {
        for _ in 0..<500 {
            if await world.manager.occupancy.isIdle { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The runtime starts its threads when they are needed first, and keeps them.
    private func wakeThreads() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<1_000 { await Task.yield() }
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
    }
}
