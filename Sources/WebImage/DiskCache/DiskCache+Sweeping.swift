// SPDX-License-Identifier: MIT
/// Entries that are too old go by a clock, whether they are asked for or not.
extension DiskCache {
    /// Starts the sweep, unless it runs, is switched off, or nothing is stored.
    ///
    /// The task ends when nothing is left, with ``shutdown(within:)``, or with the cache, which it does not keep.
    func startSweeping() {
        guard sweeper == nil, configuration.sweepInterval > .zero, index.count > 0, life.isOpen else { return }
        // Clocks trap on times that they cannot count in nanoseconds; thirty years are long enough.
        let (clock, interval) = (configuration.clock, min(configuration.sweepInterval, .seconds(1_000_000_000)))
        // Unstructured because it outlives the store that starts it; `sweeper` owns it.
        sweeper = Task(name: "sweep", executorPreference: executor, priority: .utility) { [weak self] in
            repeat {
                do { try await clock.sleep(for: interval) } catch { return }
            } while await self?.sweep() == true
        }
    }

    /// - Returns: Whether anything is left to sweep later.
    private func sweep() async -> Bool {
        _ = try? await removeExpired()
        adoptReads()
        if isWorthSaving {
            snapshot.isDue = true
            startMaintenance()
        }
        if index.count > 0, life.isOpen { return true }
        sweeper = nil
        return false
    }

    /// Removes the entries that are too old or from the future.
    ///
    /// The cache also does it by its clock; see ``Configuration/sweepInterval``. Waits until the folder was listed
    /// once.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: `CancellationError` between slices.
    @discardableResult
    public func removeExpired() async throws -> Int {
        try Task.checkCancellation()
        guard begin() else { return 0 }
        defer { end() }
        await waitForIndex()
        var count = 0
        for folder in EntryFiles.entryFolders.indices {
            for slice in index.expired(folder: folder, lifetime).slices(of: Self.sliceLength) {
                try Task.checkCancellation()
                let removed = await removeIfUnchanged(slice)
                count += removed
                counters.expirations += removed
            }
            // A folder at a time, so that other operations have their turn between.
            await Task.yield()
        }
        if count > 0 { await announceRemovals() }
        return count
    }
}
