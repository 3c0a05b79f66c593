import Synchronization
import TaskCoordination

extension ImageManager {
    /// How long what was cancelled at the deadline of a shutdown may take to unwind.
    static let unwindingTime = Duration.milliseconds(250)
    /// The longest grace time of a shutdown.
    static let maximumGrace = Duration.seconds(365 * 86_400)

    /// Ends the manager in two steps, of which the deadline ends the first: what runs is finished, and the parts are
    /// closed.
    func end(within grace: Duration) async -> ShutdownReport {
        await end(within: grace, on: clock)
    }

    private func end(within grace: Duration, on clock: some Clock<Duration>) async -> ShutdownReport {
        let deadline = Deadline(after: grace, on: clock, executor: executor)
        encodings.close()
        let isQuiet = await deadline.outlasts { await self.finishEverything() }
        let cancelled = isQuiet ? 0 : await dropEverything()
        // What was cancelled has a while to unwind; where nothing was, the deadline stays.
        let last = isQuiet ? deadline : Deadline(after: Self.unwindingTime, on: clock, executor: executor)
        let transportEnds = await closeParts(by: last)
        await memory.removeAll()
        hub.finish()
        // What a disk that does not answer still holds is lost, too.
        let lost = await (writes?.droppedCount ?? 0) + (writes?.pendingCount ?? 0)
        let threads = processing.running + (diskCache?.pool.running ?? 0)
        return ShutdownReport(
            cancelledLoadCount: cancelled, droppedWriteCount: lost,
            stillRunningCount: downloader.operationCount + threads + (transportEnds ? 0 : 1))
    }

    /// Drains in the order of the road, so that each stage is quiet before the one below it closes: files stand on
    /// pictures, pictures on transfers, and all of them write.
    @concurrent private nonisolated func finishEverything() async {
        await encodings.drain()
        loads.close()
        await loads.drain()
        downloader.close()
        await downloader.drain()
        await writes?.close()
        await writes?.drain()
    }

    /// The grace time is over.
    ///
    /// - Returns: How many calls had not ended.
    private func dropEverything() async -> Int {
        let running = hub.tally.counters.running
        await writes?.abandon()
        loads.close()
        downloader.close()
        cancelAll()
        downloader.cancelAll()  // also what was asked of the downloader itself
        return running
    }

    /// Closes what the stages stood on, all at once: no stage begins anything more.
    ///
    /// - Returns: Whether the transport has ended.
    private func closeParts(by deadline: Deadline<some Clock<Duration>>) async -> Bool {
        downloader.attendance.end()
        async let isQuiet = deadline.outlasts { await self.finishEverything() }
        async let transportEnds = deadline.outlasts { [transport = downloader.transport] in await transport.shutdown() }
        async let diskEnds = deadline.outlasts { [diskCache] in
            _ = await diskCache?.shutdown(within: deadline.remaining)
        }
        async let threadsEnd = deadline.outlasts { [processing] in await processing.shutdown() }
        _ = await (isQuiet, diskEnds)
        // Threads that are stuck are left to themselves.
        if await !threadsEnd { processing.abandon() }
        return await transportEnds
    }
}

/// Runs `body` with a manager and shuts the manager down when `body` ends, however it ends.
///
/// - Parameters:
///   - configuration: What the manager is made of.
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

/// The same with a manager that has been made.
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
