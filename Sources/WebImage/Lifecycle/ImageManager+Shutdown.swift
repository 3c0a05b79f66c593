import Synchronization
import TaskCoordination

extension ImageManager {
    /// Drains in the order of the road, so that each stage is quiet before the one below it closes: files stand on
    /// pictures, pictures on transfers, and all of them write.
    func end(within grace: Duration) async -> ShutdownReport {
        let clock = clock
        encodings.close()
        let cancelled = await withTaskGroup(of: Int?.self) { group in
            group.addTask {
                guard (try? await clock.sleep(for: grace)) != nil else { return nil }
                return await self.dropEverything()
            }
            await encodings.drain()
            loads.close()
            await loads.drain()
            downloader.close()
            await downloader.drain()
            await writes?.close()
            await writes?.drain()
            group.cancelAll()
            return await group.next() ?? nil
        }
        await downloader.shutdown()
        _ = await diskCache?.shutdown(within: cancelled == nil ? grace : .zero)
        // What a disk that does not answer still holds is lost, too.
        let lost = await (writes?.droppedCount ?? 0) + (writes?.pendingCount ?? 0)
        await processing.shutdown()
        await memory.removeAll()
        hub.finish()
        return ShutdownReport(cancelledLoadCount: cancelled ?? 0, droppedWriteCount: lost)
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
