// SPDX-License-Identifier: MIT
public import PlatformBasics

extension ImagePrefetcher {
    /// How far a list has come. Each request of the list is counted once, by how it ended.
    public struct Progress: Sendable, Hashable {
        /// The pictures that are now cached.
        public var finishedCount = 0
        /// The pictures that could not be loaded.
        public var failedCount = 0
        /// The requests that were abandoned: stopped by a caller, cancelled by the manager, or never begun.
        public var cancelledCount = 0
        /// The requests of the list.
        public var totalCount: Int

        /// The requests that have ended, one way or another.
        public var endedCount: Int { finishedCount + failedCount + cancelledCount }
        /// Whether every request has ended.
        public var isOver: Bool { endedCount == totalCount }
    }

    /// The result of a list.
    public struct Report: Sendable {
        /// The counts.
        public var progress: Progress
        /// The pictures that could not be loaded, and why: the first failures, at most 100.
        public var failures: [Failure] = []

        /// The largest number of failures in a report: 100.
        static let maximumFailureCount = 100

        /// A picture that could not be loaded.
        public struct Failure: Sendable {
            /// The address of the picture.
            public var url: URL
            /// Why the load failed; usually an ``ImageLoadError``.
            public var error: any Error
        }
    }
}

extension ImagePrefetcher {
    /// The progress of a list, as it changes.
    ///
    /// **Cancellation**: the sequence ends; the list continues.
    public struct Updates: AsyncSequence, Sendable {
        let token: Token

        /// Creates an iterator that starts with the present progress.
        public func makeAsyncIterator() -> Iterator { Iterator(token: token) }

        /// Remembers the last progress that its reader has seen.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let token: Token
            private var seen: Progress?

            fileprivate init(token: Token) { self.token = token }

            /// Waits for a progress that differs from the last one returned.
            ///
            /// - Returns: `nil` after the last progress, and when the calling task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Progress? {
                let seen = seen
                if let seen, seen.isOver { return nil }
                guard let progress = await token.progress(when: { $0 != seen }) else { return nil }
                self.seen = progress
                return progress
            }
        }
    }
}
