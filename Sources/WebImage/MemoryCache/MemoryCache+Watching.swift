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
            repeat {
                do { try await clock.sleep(for: interval) } catch { return }
            } while await self?.takeSample(watcher) == true
        }
    }

    /// Takes a sample and gives memory back.
    ///
    /// - Returns: Whether another sample is needed.
    private func takeSample(_ watcher: MemoryWatcher) -> Bool {
        guard !isWatchStopped else { return false }
        let before = gauge.level
        gauge.note(watcher.watch.sample())
        if gauge.level != before {
            respond(to: gauge.level)
            watcher.watch.onChange(gauge.level)
        } else if gauge.level == .critical {
            sweepHalf()
        }
        if gauge.level != .normal || statistics.count > 0 { return true }
        watch = nil
        watcher.isRunning.store(false, ordering: .sequentiallyConsistent)
        // A store that came in between has found the watch running.
        if statistics.count > 0 { startWatching(watcher) }
        return false
    }

    /// Ends the watch for memory pressure. Later stores do not start it again.
    ///
    /// The watch also ends with the cache, and rests while the cache is empty.
    public func stopWatching() {
        isWatchStopped = true
        watcher?.isRunning.store(true, ordering: .relaxed)
        watch?.cancel()
        watch = nil
    }
}
