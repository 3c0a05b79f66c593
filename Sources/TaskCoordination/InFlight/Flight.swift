public import Synchronization

/// One piece of shared work: its callers, its latest progress, and its landing.
@usableFromInline final class Flight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    /// A report and its number, from 1.
    @usableFromInline struct Report: Sendable {
        @usableFromInline let number: Int
        @usableFromInline let progress: Progress

        @inlinable init(number: Int, progress: Progress) {
            self.number = number
            self.progress = progress
        }
    }

    /// What the work has brought. Under one lock, so that no report follows the landing.
    @usableFromInline struct Board {
        @inlinable init() {}
        @usableFromInline var latest: Report?
        @usableFromInline var landing: Result<Value, any Error>?
    }

    @usableFromInline let key: Key
    @usableFromInline let cabin: Cabin
    @usableFromInline let board: Mutex<Board>

    @inlinable init(key: Key, priority: UInt8) {
        self.key = key
        cabin = Cabin(priority: priority)
        board = Mutex(Board())
    }

    /// Spelled out, so that it is compiled with the rest.
    @inlinable deinit {}

    /// Notes how far the work has come, and tells the callers who want to know.
    @inlinable func report(_ progress: Progress) {
        let number = board.withLock { board -> Int? in
            guard board.landing == nil else { return nil }
            let number = (board.latest?.number ?? 0) + 1
            board.latest = Report(number: number, progress: progress)
            return number
        }
        if let number { cabin.report(number) }
    }

    /// Ends the flight and its callers' waits.
    @inlinable func land(_ result: Result<Value, any Error>) {
        board.withLock { $0.landing = result }
        cabin.land()
    }

    /// What the flight has brought.
    ///
    /// - Returns: `nil` when it is in the air.
    /// - Throws: The operation's error.
    @inlinable @inline(never) func value() throws -> Value? { try board.withLock { $0.landing }?.get() }

    /// Waits for the landing, and tells how far the work has come.
    ///
    /// - Returns: `false` when the caller has left, or every flight was cancelled.
    @inlinable @inline(never) func hasLanded(seat: Int, _ onProgress: ((Progress) async -> Void)?) async -> Bool {
        var known = onProgress == nil ? Int.max : 0
        while true {
            let news = await unsafe withUnsafeContinuation { unsafe cabin.park($0, in: seat, knowing: known) }
            guard news == .progress, let onProgress else { return news == .landed }
            guard let report = board.withLock({ $0.latest }) else { continue }
            known = report.number
            await onProgress(report.progress)
        }
    }
}
