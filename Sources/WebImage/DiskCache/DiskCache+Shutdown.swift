// SPDX-License-Identifier: MIT
internal import TaskCoordination

extension DiskCache {
    /// Refuses new operations, waits for the running ones until the time is over, and ends the cache's threads.
    ///
    /// The trim is awaited too when this cache has stored something, and the folder is above its limit or was not
    /// listed yet. The next cache on the folder finishes what the time does not suffice for.
    ///
    /// Later reads miss, stores are refused with the code `.shutDown`, and removals do nothing. A second call waits for
    /// the same end and returns the same report.
    ///
    /// **Cancellation**: ignored; the time limit ends the wait.
    ///
    /// - Parameter limit: How long the running operations may take. Negative values count as zero.
    /// - Returns: How many operations ended, and how many were abandoned.
    public func shutdown(within limit: Duration) async -> CacheShutdownReport {
        switch life.state {
        case .closed(let report):
            return report
        case .draining:
            let place = OneShot<CacheShutdownReport>()
            life.reportWaiters.append(place)
            return await place.wait()
        case .open:
            return await drain(within: limit)
        }
    }

    private func drain(within limit: Duration) async -> CacheShutdownReport {
        life.state = .draining
        sweeper?.cancel()
        let atStart = life.operations
        checkDrained()
        let isDrained = await waitUntilDrained(within: limit)
        maintenance?.cancel()
        let left = life.operations
        let report = CacheShutdownReport(completedOperations: atStart - left, abandonedOperations: left)
        // A pool with a stuck thread never ends, so it is not awaited.
        if isDrained {
            await sweeper?.wait()
            await pool.shutdown()
            account.close()
        }
        sweeper = nil
        life.state = .closed(report)
        let waiters = life.reportWaiters
        life.reportWaiters = []
        for waiter in waiters { waiter.resolve(report) }
        return report
    }

    private func waitUntilDrained(within limit: Duration) async -> Bool {
        guard !isIdle else { return true }
        let end = OneShot<Bool>()
        life.drained = end
        let clock = configuration.clock
        let isDrained = await end.wait(for: "deadline", on: executor) {
            await end.resolve(false, after: limit, on: clock)
        }
        life.drained = nil
        return isDrained
    }

    private var isIdle: Bool { life.operations == 0 && maintenance == nil }

    // MARK: - Counting operations

    /// Counts an operation in. `false` when the cache takes no more.
    ///
    /// The first operation starts the maintenance task.
    ///
    /// - Throws: `CancellationError` for a task that was cancelled.
    func begin() throws -> Bool {
        try Task.checkCancellation()
        guard life.isOpen else { return false }
        life.operations += 1
        if !isIndexed { startMaintenance() }
        return true
    }

    func end() {
        life.operations -= 1
        checkDrained()
    }

    func checkDrained() {
        guard !life.isOpen, life.operations == 0 else { return }
        // The maintenance task may still have to trim what the last operation has stored.
        if counters.stores == 0 || (isIndexed && knownBytes <= trimStart) { maintenance?.cancel() }
        if isIdle { life.drained?.resolve(true) }
    }
}

/// Open, draining or closed, and the running operations.
struct LifeCycle {
    enum State {
        case open, draining
        case closed(CacheShutdownReport)
    }

    var state = State.open
    var operations = 0
    /// Resolved with `true` when the last operation has ended.
    var drained: OneShot<Bool>?
    var reportWaiters: [OneShot<CacheShutdownReport>] = []

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }
}
