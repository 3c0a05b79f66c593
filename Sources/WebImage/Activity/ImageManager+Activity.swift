// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

extension ImageManager {
    /// The manager's activities from now on, in order.
    ///
    /// The sequence is for one reader. A slow reader loses the oldest activities and never slows a load. Without a
    /// reader, activities cost nothing.
    ///
    /// - Parameter limit: The largest number of activities that wait for the reader. 1,024 by default. Each keeps the
    ///   address of its request, so the memory is `limit` times the longest address that a program accepts.
    /// - Returns: A sequence that ends when the manager has been shut down.
    public nonisolated func activities(keeping limit: Int = 1_024) -> AsyncStream<LoadActivity> {
        pipeline.hub.watch(keeping: limit)
    }

    /// Calls `body` with each activity from now on, in order, until the calling task is cancelled.
    ///
    /// For a service beside that of the manager: unlike a reader of ``activities(keeping:)`` it does not end with the
    /// manager, because a `ServiceGroup` takes a service that ends before its turn for a failure. See ``run()``.
    ///
    /// **Cancellation**: returns at once.
    public nonisolated func followActivities(
        keeping limit: Int = 1_024, _ body: @Sendable (LoadActivity) async -> Void
    ) async {
        for await activity in activities(keeping: limit) { await body(activity) }
        await OneShot<Void>().wait(onCancel: ())
    }

    /// What the manager has done so far. The counters are read one after the other, so they fit together exactly only
    /// while nothing changes.
    public nonisolated var counters: LoadCounters { pipeline.hub.tally.counters }

    /// What the manager is busy with now. The figures are taken one after the other, so they fit together exactly only
    /// while nothing changes.
    public var occupancy: LoadOccupancy {
        get async {
            LoadOccupancy(
                callers: pipeline.pictures.callerCount + pipeline.files.callerCount,
                flights: pipeline.pictures.count + pipeline.files.count,
                queuedDownloads: downloader.queuedCount, runningDownloads: downloader.runningCount,
                queuedWork: pipeline.processing.queue.queued, runningWork: pipeline.processing.queue.running,
                workByteCount: pipeline.processing.queue.byteCount,
                originalByteCount: pipeline.processing.queue.originalByteCount,
                pendingWrites: await pipeline.caches.writes?.pendingCount ?? 0,
                refreshes: pipeline.refreshes.count,
                rememberedByteCount: pipeline.failures.byteCount + pipeline.refreshes.byteCount)
        }
    }
}

extension ActivityHub {
    /// Notes the start of a call that memory does not answer.
    ///
    /// - Returns: A stopwatch for the call. Either ``noteEnd(_:_:_:)`` or ``noteFailure(_:_:)`` must follow.
    func noteBegin() -> Stopwatch {
        tally.began.add()
        return Stopwatch()
    }

    func noteEnd(_ request: ImageRequest, _ source: ImageSource, _ watch: Stopwatch) {
        tally.delivered.add()
        tell(request, .finished(source, took: watch.elapsed))
    }

    func noteFailure(_ request: ImageRequest, _ error: any Error) {
        // A caller's error is one of these two.
        guard let error = error as? ImageLoadError else {
            tally.cancelled.add()
            return tell(request, .cancelled)
        }
        tally.failed.add()
        tell(request, .failed(error))
    }

    func noteMemoryHit(_ request: ImageRequest) {
        tally.memoryHits.add()
        tell(request, .cacheHit(.memory))
        tell(request, .finished(.memory, took: .zero))
    }
}
