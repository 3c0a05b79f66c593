// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// The watch of a memory cache, and whether it runs.
final class MemoryWatcher: Sendable {
    let watch: MemoryWatch
    /// Where the samples are taken; `nil` for the global pool.
    let executor: (any TaskExecutor)?
    /// Whether the task runs, is about to, or must not run any more.
    let isRunning = Atomic<Bool>(false)
    /// Takes the samples. It ends with the cache, which owns the watcher.
    let task = Mutex<PacedTask?>(nil)

    init(_ watch: MemoryWatch, executor: (any TaskExecutor)?) {
        self.watch = watch
        self.executor = executor
    }
}

extension MemoryCache {
    /// Starts the watch, unless it runs. Called by each store.
    nonisolated func startWatching(_ watcher: MemoryWatcher) {
        guard !watcher.isRunning.load(ordering: .sequentiallyConsistent),
            watcher.isRunning.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        else { return }
        // Under the lock, so that a watch that ends at once does not find its successor.
        watcher.task.withLock { task in
            task = PacedTask("memory watch", on: watcher.executor, priority: .utility, clock: watcher.watch.clock) {
                [weak self] in await self?.takeSample()
            }
        }
    }

    /// Takes a sample and gives memory back.
    ///
    /// - Returns: The time until the next sample; `nil` when none is needed.
    private func takeSample() -> Duration? {
        guard !isWatchStopped, let watcher else { return nil }
        let before = gauge.level
        let sample = watcher.watch.sample()
        gauge.note(sample)
        table.removeExpired()
        // Until the next sample the cache takes no more than there is, however fast it grows.
        let (limit, isBeyondAll) = statistics.cost.addingReportingOverflow(max(0, sample.room ?? .max))
        growthLimit = isBeyondAll ? .max : limit
        applyLimits()
        if gauge.level != before {
            respond(to: gauge.level)
            watcher.watch.onChange(gauge.level)
        } else if gauge.level == .critical {
            sweepHalf()
        }
        if gauge.level != .normal || statistics.count > 0 {
            // The rest of the process may take what is left in less than the interval.
            let interval = watcher.watch.interval
            return max((sample.usedPart ?? 0) < 0.5 ? interval : interval / 8, .milliseconds(1))
        }
        _ = watcher.task.withLock { $0.take() }
        watcher.isRunning.store(false, ordering: .sequentiallyConsistent)
        // A store that came in between has found the watch running.
        if statistics.count > 0 { startWatching(watcher) }
        return nil
    }

    /// Ends the watch for memory pressure. Later stores do not start it again.
    ///
    /// The watch also ends with the cache, and rests while the cache is empty.
    package func stopWatching() {
        isWatchStopped = true
        watcher?.isRunning.store(true, ordering: .relaxed)
        // Released after the lock.
        _ = watcher?.task.withLock { $0.take() }
        growthLimit = .max
        applyLimits()
    }
}
