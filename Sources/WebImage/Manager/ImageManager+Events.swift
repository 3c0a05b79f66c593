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
                let response = try await self.load(request) { continuation.yield(.progress($0)) }
                continuation.yield(.finished(response))
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
        } catch let error as ImageLoadError where error.code == .notInCache {
            return nil
        }
    }
}
