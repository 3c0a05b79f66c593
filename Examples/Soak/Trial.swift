// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// The rounds against one world, and the counts before, between and after.
struct Trial {
    private let kind: World.Kind
    private let options: Options

    init(_ kind: World.Kind, _ options: Options) {
        self.kind = kind
        self.options = options
    }

    /// The counts after all rounds, and the manager's shutdown report.
    private struct Outcome {
        let warm: Vitals
        let later: Vitals
        let occupancy: LoadOccupancy
        let counters: LoadCounters
        let report: ShutdownReport
    }

    /// - Returns: Whether nothing leaked.
    func run() async throws -> Bool {
        print("\n\(kind.rawValue)")
        // A short life first, so that resources that a process takes once and keeps, such as the runtime's timers,
        // exist afterwards.
        _ = try await live(rounds: 500)
        let start = try Vitals.now()
        let outcome = try await live(rounds: options.rounds)
        let end = try Vitals.now()
        let (counters, occupancy) = (outcome.counters, outcome.occupancy)
        print(
            "  calls \(counters.requests): \(counters.finished) finished, \(counters.cancelled) cancelled,"
                + " \(counters.failed) failed; \(counters.downloads) transfers")
        var ledger = Ledger()
        ledger.check("calls that never ended", counters.open)
        ledger.check("live callers", occupancy.callers)
        ledger.check("live flights", occupancy.flights)
        ledger.check("queued slots", occupancy.queuedDownloads + occupancy.queuedWork)
        ledger.check("taken slots", occupancy.runningDownloads + occupancy.runningWork)
        ledger.check("pending writes", occupancy.pendingWrites)
        ledger.check("loads dropped at the end", outcome.report.cancelledLoadCount)
        ledger.compare("open descriptors", start.descriptors, outcome.later.descriptors, end.descriptors)
        ledger.compare("threads", start.threads, outcome.later.threads, end.threads)
        ledger.compareMemory(outcome.warm.residentMemory, outcome.later.residentMemory)
        return ledger.isClean
    }

    /// The life of a manager. Everything that belongs to it is released when this returns.
    private func live(rounds count: Int) async throws -> Outcome {
        let world = try World(kind, seed: options.seed)
        let prefetcher = ImagePrefetcher(manager: world.manager)
        // Warm-up: caches, pools and the allocator take what they need, so that memory is constant afterwards.
        await rounds(max(500, count / 10), seed: ~options.seed, in: world, prefetcher)
        await settle(world)
        let warm = try Vitals.now()
        await rounds(count, seed: options.seed, in: world, prefetcher)
        await settle(world)
        let (occupancy, counters) = (await world.manager.occupancy, world.manager.counters)
        let later = try Vitals.now()
        let watchdog = Watchdog(after: .seconds(30), "The manager does not come to its end: something never unwinds.")
        defer { watchdog.stop() }
        await prefetcher.shutdown()
        let report = await world.end()
        return Outcome(warm: warm, later: later, occupancy: occupancy, counters: counters, report: report)
    }

    /// A fixed number of workers share the rounds. Each draws from its own seed.
    private func rounds(_ count: Int, seed: UInt64, in world: World, _ prefetcher: ImagePrefetcher) async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<options.workers {
                let share = count / options.workers + (worker < count % options.workers ? 1 : 0)
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ UInt64(worker) << 32)
                    for _ in 0..<share {
                        await Round(in: world, using: &random).run(with: world.manager, prefetcher)
                    }
                }
            }
        }
    }

    /// Waits until the manager is idle and has counted the end of every call, at most five seconds: a caller that
    /// leaves a sequence or is cancelled does not wait until the work has unwound.
    private func settle(_ world: World) async {
        for _ in 0..<500 {
            if await world.manager.occupancy.isIdle, world.manager.counters.open == 0 { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension LoadCounters {
    /// Calls that have not ended.
    fileprivate var open: Int { requests - finished - cancelled - failed }
}
