// SPDX-License-Identifier: MIT
import Synchronization

/// The watch of a memory cache, and whether it runs.
final class MemoryWatcher: Sendable {
    let watch: MemoryWatch
    /// Where the samples are taken; `nil` for the global pool.
    let executor: (any TaskExecutor)?
    /// Whether the task runs, is about to, or must not run any more.
    let isRunning = Atomic<Bool>(false)

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
        // Unstructured because a store must not wait for the actor; it ends when the watch has begun.
        Task(executorPreference: watcher.executor, priority: .utility) { await self.watchMemory(watcher) }
    }

    private func watchMemory(_ watcher: MemoryWatcher) {
        guard watch == nil, !isWatchStopped else { return }
        let clock = watcher.watch.clock
        // Clocks trap on times that they cannot count in nanoseconds; thirty years are long enough.
        let interval = min(max(watcher.watch.interval, .milliseconds(1)), .seconds(1_000_000_000))
        // Unstructured because it outlives the store that starts it; `watch` owns it. It does not keep the cache.
        watch = Task(name: "memory watch", executorPreference: watcher.executor, priority: .utility) { [weak self] in
            while let pause = await self?.takeSample(watcher, every: interval) {
                do { try await clock.sleep(for: pause) } catch { return }
            }
        }
    }

    /// Takes a sample and gives memory back.
    ///
    /// - Returns: The time until the next sample; `nil` when none is needed.
    private func takeSample(_ watcher: MemoryWatcher, every interval: Duration) -> Duration? {
        guard !isWatchStopped else { return nil }
        let before = gauge.level
        let sample = watcher.watch.sample()
        gauge.note(sample)
        // Until the next sample the cache takes no more than there is, however fast it grows.
        let (limit, isBeyondAll) = statistics.cost.addingReportingOverflow(max(0, sample.room ?? .max))
        growthLimit = isBeyondAll ? .max : limit
        applyGrowthLimit()
        if gauge.level != before {
            respond(to: gauge.level)
            watcher.watch.onChange(gauge.level)
        } else if gauge.level == .critical {
            sweepHalf()
        }
        if gauge.level != .normal || statistics.count > 0 {
            // The rest of the process may take what is left in less than the interval.
            return (sample.usedPart ?? 0) < 0.5 ? interval : max(interval / 8, .milliseconds(1))
        }
        watch = nil
        watcher.isRunning.store(false, ordering: .sequentiallyConsistent)
        // A store that came in between has found the watch running.
        if statistics.count > 0 { startWatching(watcher) }
        return nil
    }

    /// Ends the watch for memory pressure. Later stores do not start it again.
    ///
    /// The watch also ends with the cache, and rests while the cache is empty.
    public func stopWatching() {
        isWatchStopped = true
        watcher?.isRunning.store(true, ordering: .relaxed)
        watch?.cancel()
        watch = nil
        growthLimit = .max
        applyGrowthLimit()
    }
}
