import Foundation

extension ImageManager {
    /// The steps of one load: progress, the cached picture where the policy says so, and the picture itself.
    ///
    /// The load begins with the call. Ending the iteration, or cancelling the task that iterates, leaves the load as
    /// a cancelled caller does. The sequence is for one reader; a reader that is slow loses progress, never the end.
    ///
    /// - Returns: A sequence that ends after ``ImageEvent/finished(_:)`` or throws what `load(_:)` would throw.
    public nonisolated func events(for request: ImageRequest) -> AsyncThrowingStream<ImageEvent, any Error> {
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: ImageEvent.self, bufferingPolicy: .bufferingNewest(16))
        // Unstructured because the sequence outlives this call; the reader owns it through `onTermination`.
        let load = Task(name: "events", executorPreference: executor) {
            do {
                if request.cachePolicy == .refreshCached, let cached = try await self.cachedFirst(request) {
                    continuation.yield(.cached(cached))
                }
                let response = try await self.load(request) { Self.tell($0, continuation) }
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

    /// Makes room for progress by older progress alone: a cached picture that falls out of the full buffer goes back in.
    private static func tell(
        _ progress: LoadProgress, _ continuation: AsyncThrowingStream<ImageEvent, any Error>.Continuation
    ) {
        if case .dropped(let event) = continuation.yield(.progress(progress)), case .cached = event {
            continuation.yield(event)
        }
    }
}
