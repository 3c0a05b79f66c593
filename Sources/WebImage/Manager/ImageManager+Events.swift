// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import PlatformBasics

extension ImageManager {
    /// The steps of one load: progress, previews if the request asks for them, the cached picture if the policy asks
    /// for it, and the picture itself.
    ///
    /// The load begins with the call. Ending the iteration, or cancelling the iterating task, leaves the load as a
    /// cancelled caller does. The sequence is for one reader. A slow reader loses progress, but no picture and not the
    /// end.
    ///
    /// - Returns: A sequence that ends after ``ImageEvent/finished(_:)`` or throws what `load(_:)` would throw.
    public nonisolated func events(for request: ImageRequest) -> AsyncThrowingStream<ImageEvent, any Error> {
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: ImageEvent.self, bufferingPolicy: .bufferingNewest(EventBuffer.limit))
        let buffer = EventBuffer(continuation)
        // Unstructured because the sequence outlives this call; the reader owns it through `onTermination`.
        let load = Task(name: "events", executorPreference: pipeline.executor) {
            do {
                if request.cachePolicy == .refreshCached, let cached = try await self.cachedFirst(request) {
                    buffer.put(cached: cached)
                }
                let response = try await self.pipeline.picture(for: request) { [pipeline = self.pipeline] progress in
                    buffer.put(progress)
                    pipeline.preview(progress, request, for: buffer) { buffer.put(preview: $0) }
                }
                buffer.end(with: response.handedOver)
            } catch {
                buffer.end(throwing: error)
            }
        }
        continuation.onTermination = { if case .cancelled = $0 { load.cancel() } }
        return events
    }

    private nonisolated func cachedFirst(_ request: ImageRequest) async throws -> ImageResponse? {
        do {
            return try await cachedResponse(for: request)
        } catch let error as ImageLoadError where error.code != .shutDown {
            // Whatever the error was, the origin is asked.
            return nil
        }
    }
}

/// The events that wait for a slow reader. Only older progress and previews make room: a cached picture that is dropped
/// from the full buffer is put back.
private final class EventBuffer: Sendable {
    typealias Continuation = AsyncThrowingStream<ImageEvent, any Error>.Continuation

    /// The largest number of waiting events.
    static let limit = 16

    private struct State {
        /// The number of events after the cached picture; `nil` when there is none.
        var countSinceCached: Int?
        var last: LoadProgress?
        var isOver = false
    }

    private let continuation: Continuation
    private let state = Mutex(State())

    init(_ continuation: Continuation) { self.continuation = continuation }

    func put(cached response: ImageResponse) { state.withLock { putCached(response, &$0) } }

    func put(_ progress: LoadProgress) {
        state.withLock { state in
            state.last = progress
            put(.progress(progress), &state)
        }
    }

    /// Adds a preview, unless the load has ended. Previews come from a task of their own.
    func put(preview: DecodedImage) {
        state.withLock { state in
            if !state.isOver { put(.preview(preview), &state) }
        }
    }

    /// Adds an event that may be lost; a cached picture that it pushes out is put back.
    private func put(_ event: ImageEvent, _ state: inout State) {
        state.countSinceCached? += 1
        guard case .dropped(.cached(let response)) = continuation.yield(event) else { return }
        putCached(response, &state)
    }

    private func putCached(_ response: ImageResponse, _ state: inout State) {
        state.countSinceCached = 0
        continuation.yield(.cached(response))
    }

    /// If the cached picture is the oldest event of a full buffer, a report is dropped in its place before the end is
    /// added.
    func end(with response: ImageResponse) {
        state.withLock { state in
            state.isOver = true
            if state.countSinceCached == Self.limit - 1, let last = state.last { put(.progress(last), &state) }
        }
        continuation.yield(.finished(response))
        continuation.finish()
    }

    func end(throwing error: any Error) {
        state.withLock { $0.isOver = true }
        continuation.finish(throwing: error)
    }
}
