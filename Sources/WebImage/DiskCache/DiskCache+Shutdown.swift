internal import TaskCoordination

extension DiskCache {
    /// How a shutdown went.
    public struct ShutdownReport: Sendable, Equatable {
        /// Operations that were under way when the shutdown began and came to their end.
        public var completedOperations: Int
        /// Operations that were still under way when the time was up.
        ///
        /// Their threads finish them or not; what they were writing is kept whole or not at all.
        public var abandonedOperations: Int

        /// A report.
        public init(completedOperations: Int, abandonedOperations: Int) {
            self.completedOperations = completedOperations
            self.abandonedOperations = abandonedOperations
        }
    }

    /// Takes no more operations, waits for those under way until the time is up, and ends the cache's threads.
    ///
    /// When this cache has stored something and the folder is above its limit, or was not listed yet, the trim is awaited
    /// too; what the time does not suffice for is left to the next cache on the folder.
    ///
    /// From now on reads miss, stores are refused with the code `.shutDown`, and removals do nothing. Called again, it
    /// waits for the same end and returns the same report.
    ///
    /// **Cancellation**: ignored; the time limit ends the wait.
    ///
    /// - Parameter limit: How long the operations under way may take; negative ones count as zero.
    /// - Returns: How many of them ended, and how many were left to themselves.
    public func shutdown(within limit: Duration) async -> ShutdownReport {
        switch life.state {
        case .closed(let report):
            return report
        case .draining:
            let place = OneShot<ShutdownReport>()
            life.reportWaiters.append(place)
            return await place.wait()
        case .open:
            return await drain(within: limit)
        }
    }

    private func drain(within limit: Duration) async -> ShutdownReport {
        life.state = .draining
        let atStart = life.operations
        checkDrained()
        let isDrained = await waitUntilDrained(within: limit)
        housekeeper?.cancel()
        let left = life.operations
        let report = ShutdownReport(completedOperations: atStart - left, abandonedOperations: left)
        // A pool with a stuck thread would never end; it is left to itself then.
        if isDrained { await pool.shutdown() }
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
        // Not a child task: an operation that ends first must not wait for the clock. Cancelled below.
        let alarm = Task(executorPreference: executor) {
            // Clocks trap on what they cannot count in nanoseconds; thirty years are for ever.
            try? await clock.sleep(for: min(max(limit, .zero), .seconds(1_000_000_000)))
            end.resolve(false)
        }
        let isDrained = await end.wait()
        alarm.cancel()
        life.drained = nil
        return isDrained
    }

    private var isIdle: Bool { life.operations == 0 && housekeeper == nil }

    // MARK: Counting operations

    /// Counts an operation in; `false` when none is taken any more.
    ///
    /// The first one starts the housekeeper.
    func begin() -> Bool {
        guard life.isOpen else { return false }
        life.operations += 1
        if !isIndexed { keepHouse() }
        return true
    }

    func end() {
        life.operations -= 1
        checkDrained()
    }

    func checkDrained() {
        guard !life.isOpen, life.operations == 0 else { return }
        // What the last operation has stored may have to be trimmed still.
        if counters.stores == 0 || (isIndexed && knownBytes <= trimStart) { housekeeper?.cancel() }
        if isIdle { life.drained?.resolve(true) }
    }
}
