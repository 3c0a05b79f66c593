import Foundation
import TaskCoordination

extension ImageManager {
    /// What happens from now on, in order.
    ///
    /// The sequence is for one reader. A reader that is slow loses the oldest activities and never slows a load. While
    /// nobody reads, activities cost nothing.
    ///
    /// - Parameter limit: How many activities wait for the reader at most. 1,024 by default.
    /// - Returns: A sequence that ends when the manager has been shut down.
    public nonisolated func activities(keeping limit: Int = 1_024) -> AsyncStream<LoadActivity> {
        hub.watch(keeping: limit)
    }

    /// What the manager has done so far. The counters are read one after the other, so they fit together exactly only while
    /// nothing changes.
    public nonisolated var counters: LoadCounters { hub.tally.counters }

    /// What the manager is busy with now. The figures are taken one after the other, so they fit together exactly only
    /// while nothing changes.
    public var occupancy: LoadOccupancy {
        get async {
            LoadOccupancy(
                callers: loads.callerCount + encodings.callerCount,
                flights: loads.count + encodings.count,
                queuedDownloads: downloader.queuedCount, runningDownloads: downloader.runningCount,
                queuedWork: processing.queued, runningWork: processing.running,
                workByteCount: processing.byteCount,
                pendingWrites: await writes?.pendingCount ?? 0)
        }
    }

    /// A call begins that memory does not answer.
    ///
    /// - Returns: A watch for the call. Either ``noteEnd(_:_:_:)`` or ``noteFailure(_:_:)`` must follow.
    nonisolated func noteBegin() -> Stopwatch {
        hub.tally.began.add()
        return Stopwatch()
    }

    nonisolated func noteEnd(_ request: ImageRequest, _ source: ImageSource, _ watch: Stopwatch) {
        hub.tally.delivered.add()
        hub.tell(request.url, .finished(source, took: watch.elapsed))
    }

    nonisolated func noteFailure(_ request: ImageRequest, _ error: any Error) {
        let isCancelled = error is CancellationError
        if isCancelled { hub.tally.cancelled.add() } else { hub.tally.failed.add() }
        hub.tell(request.url, isCancelled ? .cancelled : .failed(error))
    }

    nonisolated func noteMemoryHit(_ request: ImageRequest) {
        hub.tally.memoryHits.add()
        hub.tell(request.url, .cacheHit(.memory))
        hub.tell(request.url, .finished(.memory, took: .zero))
    }
}
