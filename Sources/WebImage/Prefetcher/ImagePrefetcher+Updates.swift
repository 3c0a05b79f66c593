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
