// SPDX-License-Identifier: MIT
import Synchronization
import TaskCoordination

extension ImageManager {
    /// The time that work cancelled at the deadline of a shutdown has to unwind.
    package static let unwindingTime = Duration.milliseconds(250)
    /// The longest grace time of a shutdown.
    static let maximumGrace = Duration.seconds(365 * 86_400)

    /// Ends the manager in two steps: running work finishes, at the latest at the deadline; then the parts are closed.
    func end(within grace: Duration) async -> ShutdownReport {
        await end(within: grace, on: clock)
    }

    private func end(within grace: Duration, on clock: some Clock<Duration>) async -> ShutdownReport {
        let deadline = Deadline(after: grace, on: clock, executor: pipeline.executor)
        pipeline.refreshes.close()
        pipeline.files.close()
        pipeline.pictures.close()
        pipeline.isEnding.change { $0 = true }
        let isQuiet = await deadline.outlasts { await self.pipeline.finishEverything() }
        let cancelled = isQuiet ? 0 : await pipeline.dropEverything()
        // Cancelled work has a while to unwind. When nothing was cancelled, the deadline stays.
        let last = isQuiet ? deadline : Deadline(after: Self.unwindingTime, on: clock, executor: pipeline.executor)
        let transportEnds = await pipeline.closeParts(by: last)
        if pipeline.ownsCaches { await pipeline.caches.endMemory() }
        pipeline.hub.finish()
        let writes = pipeline.caches.writes
        // Writes to a disk that does not answer are lost, too.
        let lost = await (writes?.droppedCount ?? 0) + (writes?.pendingCount ?? 0)
        let threads = pipeline.processing.pool.running + (diskCache?.pool.running ?? 0)
        return ShutdownReport(
            cancelledLoadCount: cancelled, droppedWriteCount: lost,
            stillRunningCount: downloader.operationCount + threads + (transportEnds ? 0 : 1))
    }
}

extension Pipeline {
    /// Drains the stages in the order of a load, so that each is idle before the one below it closes: loads wait for
    /// transfers, and all of them write.
    @concurrent fileprivate func finishEverything() async {
        await refreshes.drain()
        await files.drain()
        await pictures.drain()
        downloader.close()
        await downloader.drain()
        if ownsCaches { await caches.writes?.close() }
        await caches.writes?.drain()
    }

    /// Drops the rest when the grace time is over.
    ///
    /// - Returns: The number of calls that had not ended.
    fileprivate func dropEverything() async -> Int {
        let running = hub.tally.counters.running
        if ownsCaches { await caches.writes?.abandon() }
        downloader.close()
        cancelAll()
        // Also the transfers that callers of the downloader itself wait for.
        downloader.cancelAll()
        return running
    }

    /// Closes the parts below the stages, all at once: no stage begins new work.
    ///
    /// - Returns: Whether the transport has ended.
    fileprivate func closeParts(by deadline: Deadline<some Clock<Duration>>) async -> Bool {
        downloader.board.endAttendance()
        async let isQuiet = deadline.outlasts { await self.finishEverything() }
        async let transportEnds = deadline.outlasts { [transport = downloader.transport] in await transport.shutdown() }
        let disk = ownsCaches ? caches.disk : nil
        async let diskEnds = deadline.outlasts {
            _ = await disk?.shutdown(within: deadline.remaining)
        }
        async let threadsEnd = deadline.outlasts { [processing] in await processing.shutdown() }
        _ = await (isQuiet, diskEnds)
        // Stuck threads are abandoned.
        if await !threadsEnd { processing.abandon() }
        return await transportEnds
    }
}

/// Runs `body` with a manager, and shuts the manager down when `body` returns or throws.
///
/// - Parameters:
///   - configuration: The parts and limits of the manager.
///   - grace: How long running loads and pending writes may take at the end. The configuration's
///     ``ImageManager/Configuration/shutdownGrace`` by default.
///   - body: Uses the manager; must not keep it.
/// - Throws: What `body` throws.
public nonisolated(nonsending) func withImageManager<T>(
    _ configuration: ImageManager.Configuration = .init(),
    shutdownWithin grace: Duration? = nil,
    _ body: nonisolated(nonsending) (ImageManager) async throws -> T
) async rethrows -> T {
    try await withImageManager(ImageManager(configuration: configuration), shutdownWithin: grace, body)
}

/// Runs `body` with an existing manager.
nonisolated(nonsending) func withImageManager<T>(
    _ manager: ImageManager, shutdownWithin grace: Duration?,
    _ body: nonisolated(nonsending) (ImageManager) async throws -> T
) async rethrows -> T {
    let grace = grace ?? manager.configuration.shutdownGrace
    do {
        let value = try await body(manager)
        _ = await manager.shutdown(within: grace)
        return value
    } catch {
        _ = await manager.shutdown(within: grace)
        throw error
    }
}

/// What a shutdown had to drop, and what it left running.
public struct ShutdownReport: Sendable, Hashable {
    /// Calls for a picture or a file that still ran when the grace time was over. They got `CancellationError`.
    public var cancelledLoadCount = 0
    /// Pictures that were not written to disk.
    public var droppedWriteCount = 0
    /// Operations that had not returned when the time was over: transfers with their request modifiers, the shutdown of
    /// the transport, and work on the threads of the manager and of its disk cache, such as a transformer or a coder.
    ///
    /// They continue by themselves until they return. Their results reach no caller. A shutdown that is awaited inside
    /// a transfer returns at once and counts that transfer alone, which has the grace time.
    public var stillRunningCount = 0

    /// Whether all running work finished.
    public var isClean: Bool { cancelledLoadCount == 0 && droppedWriteCount == 0 && stillRunningCount == 0 }
}
