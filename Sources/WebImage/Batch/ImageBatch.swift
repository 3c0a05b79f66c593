/// The pictures of many requests, in the order in which their loads end.
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
public struct ImageBatch<Requests: Sequence<ImageRequest>>: AsyncSequence {
    let manager: ImageManager
    let requests: Requests
    let limit: Int

    /// Starts at the beginning of the input.
    public func makeAsyncIterator() -> Iterator {
        Iterator(manager: manager, requests: requests.makeIterator(), window: BatchWindow(limit: limit))
    }

    /// Loads pictures while its caller asks for elements.
    public struct Iterator: AsyncIteratorProtocol {
        private let manager: ImageManager
        private var requests: Requests.Iterator
        private var index = 0
        /// `nil` after the end.
        private var window: BatchWindow?

        fileprivate init(manager: ImageManager, requests: Requests.Iterator, window: BatchWindow) {
            self.manager = manager
            self.requests = requests
            self.window = window
        }

        /// Begins loads while there is room, and waits for one to end.
        ///
        /// - Returns: `nil` at the end of the input, and when the calling task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ImageOutcome? {
            guard let window else { return nil }
            // The loads begin at the reader's base priority and follow its escalations, earlier and later ones.
            let own = Task.basePriority ?? Task.currentPriority
            while !Task.isCancelled, window.hasRoom, let request = requests.next() {
                window.begin(request, index, manager, own)
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
