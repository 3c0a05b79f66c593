import Foundation
import Synchronization

extension ImageManager {
    /// The steps of one load: progress, the cached picture where the policy says so, and the picture itself.
    ///
    /// The load begins with the call. Ending the iteration, or cancelling the task that iterates, leaves the load as
    /// a cancelled caller does. The sequence is for one reader; a reader that is slow loses progress, never the end.
    ///
    /// - Returns: A sequence that ends after ``ImageEvent/finished(_:)`` or throws what `load(_:)` would throw.
    public nonisolated func events(for request: ImageRequest) -> AsyncThrowingStream<ImageEvent, any Error> {
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: ImageEvent.self, bufferingPolicy: .bufferingNewest(Self.bufferLimit))
        // Unstructured because the sequence outlives this call; the reader owns it through `onTermination`.
        let load = Task(name: "events", executorPreference: executor) {
            do {
                if request.cachePolicy == .refreshCached, let cached = try await self.cachedFirst(request) {
                    continuation.yield(.cached(cached))
                }
                // The last report that has filled the buffer.
                let crowding = Mutex<LoadProgress?>(nil)
                let response = try await self.load(request) { progress in
                    if Self.tell(progress, continuation) { crowding.withLock { $0 = progress } }
                }
                if let last = crowding.withLock({ $0 }) { Self.makeRoom(last, continuation) }
                continuation.yield(.finished(response.handedOver))
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { if case .cancelled = $0 { load.cancel() } }
        return events
    }

    private nonisolated func cachedFirst(_ request: ImageRequest) async throws -> ImageResponse? {
        var cached = request
        cached.cachePolicy = .onlyIfCached
        do {
            return try await load(cached)
        } catch let error as ImageLoadError where error.code != .shutDown {
            // Whatever keeps the cached picture away, the origin is asked.
            return nil
        }
    }

    /// What the end pushes out of a full buffer must not be the cached picture: it is put behind reports first.
    private static func makeRoom(
        _ last: LoadProgress, _ continuation: AsyncThrowingStream<ImageEvent, any Error>.Continuation
    ) {
        for _ in 0..<bufferLimit {
            switch continuation.yield(.progress(last)) {
            case .dropped(let event):
                guard case .cached = event else { continue }
                continuation.yield(event)
                return
            case .enqueued(let remaining) where remaining == 0: continue
            default: return
            }
        }
    }

    /// How many events wait for a slow reader.
    private static var bufferLimit: Int { 16 }

    /// Makes room for progress by older progress alone: a cached picture that falls out of the full buffer goes back in.
    ///
    /// - Returns: Whether the buffer is full.
    @discardableResult
    private static func tell(
        _ progress: LoadProgress, _ continuation: AsyncThrowingStream<ImageEvent, any Error>.Continuation
    ) -> Bool {
        switch continuation.yield(.progress(progress)) {
        case .dropped(let event):
            if case .cached = event { continuation.yield(event) }
            return true
        case .enqueued(let remaining): return remaining == 0
        default: return false
        }
    }
}
