// SPDX-License-Identifier: MIT
/// The pictures or files of many requests, in the order in which their loads end.
///
/// What a reader may rely on:
///
/// - Every request read from the input yields one ``ImageOutcome``; a failure is an outcome and does not end the batch.
/// - A slow reader stops new loads: loads begin while the reader waits for an element, and never more than the limit
///   run or wait to be read.
/// - Leaving the loop, dropping the iterator or cancelling the reading task cancels the running loads.
///
/// Every iterator is a batch of its own.
///
/// **Cancellation**: the sequence ends; `Task.isCancelled` tells this end from that of the input.
/// **Priority**: each load has the priority of its request, and rises with the task that reads.
public struct ImageBatch<Requests: Sequence<ImageRequest>, Value: Sendable>: AsyncSequence {
    let requests: Requests
    let limit: Int
    let executor: (any TaskExecutor)?
    let load: @Sendable (ImageRequest) async throws -> Value

    /// Starts at the beginning of the input.
    public func makeAsyncIterator() -> Iterator {
        Iterator(requests: requests.makeIterator(), window: BatchWindow(self))
    }

    /// Loads pictures while its caller asks for elements.
    public struct Iterator: AsyncIteratorProtocol {
        private var requests: Requests.Iterator
        private var index = 0
        /// `nil` after the end.
        private var window: BatchWindow<Value>?

        fileprivate init(requests: Requests.Iterator, window: BatchWindow<Value>) {
            self.requests = requests
            self.window = window
        }

        /// Begins loads while there is room, and waits for one to end.
        ///
        /// - Returns: `nil` at the end of the input, and when the calling task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ImageOutcome<Value>? {
            guard let window else { return nil }
            // The loads begin at the reader's base priority and follow its escalations, earlier and later ones.
            let own = Task.basePriority ?? Task.currentPriority
            while !Task.isCancelled, window.hasRoom, let request = requests.next() {
                window.begin(request, index, own)
                index += 1
            }
            let outcome = await window.outcome()
            // Releases the running loads, and never asks an input that has ended again.
            if outcome == nil { self.window = nil }
            return outcome
        }
    }
}

extension ImageBatch: Sendable where Requests: Sendable {}

extension ImageManager {
    /// Loads many pictures, a bounded number at once, and delivers each as soon as it has ended.
    ///
    /// ```swift
    /// for await outcome in manager.images(for: requests) {
    ///     guard let response = try? outcome.result.get() else { continue }
    ///     show(response.image, at: outcome.index)
    /// }
    /// ```
    ///
    /// Loads begin when the caller asks for the first element.
    ///
    /// - Parameters:
    ///   - requests: What to load, in the order in which loads begin. Read one by one while there is room, so it may be
    ///     lazy, and it may be endless.
    ///   - limit: The largest number of loads that run, or have ended and wait to be read. At least 1; a smaller number
    ///     counts as 1. 12 by default, twice what the downloader runs at once, so that pictures are decoded while
    ///     others arrive.
    /// - Complexity: O(`limit`) memory, whatever the length of the input.
    public nonisolated func images<Requests: Sequence<ImageRequest>>(
        for requests: Requests, atOnce limit: Int = 12
    ) -> ImageBatch<Requests, ImageResponse> {
        batch(requests, limit) { try await self.load($0) }
    }

    /// Makes files of many pictures, a bounded number at once, and delivers each as soon as it has ended.
    ///
    /// - Parameters:
    ///   - requests: What to load, in the order in which loads begin, as for ``images(for:atOnce:)``.
    ///   - format: The format of every file.
    ///   - limit: The largest number of loads that run, or have ended and wait to be read; at least 1, 12 by default.
    /// - Complexity: O(`limit`) memory, whatever the length of the input.
    public nonisolated func encodedImages<Requests: Sequence<ImageRequest>>(
        for requests: Requests, as format: OutputFormat = .original, atOnce limit: Int = 12
    ) -> ImageBatch<Requests, EncodedImage> {
        batch(requests, limit) { try await self.encodedImage(for: $0, as: format) }
    }

    private nonisolated func batch<Requests: Sequence<ImageRequest>, Value>(
        _ requests: Requests, _ limit: Int, _ load: @escaping @Sendable (ImageRequest) async throws -> Value
    ) -> ImageBatch<Requests, Value> {
        ImageBatch(requests: requests, limit: max(1, limit), executor: pipeline.executor, load: load)
    }
}

/// How one load of a batch has ended.
public struct ImageOutcome<Value: Sendable>: Sendable {
    /// The place of the request in the input, from 0.
    public var index: Int
    /// The request.
    public var request: ImageRequest
    /// The picture or the file; or an ``ImageLoadError``, or `CancellationError` when the manager cancelled the load.
    public var result: Result<Value, any Error>

    /// Creates an outcome.
    public init(index: Int, request: ImageRequest, result: Result<Value, any Error>) {
        self.index = index
        self.request = request
        self.result = result
    }
}
