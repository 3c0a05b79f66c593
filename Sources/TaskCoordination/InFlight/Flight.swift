public import Synchronization

/// One piece of shared work: its callers, its latest progress, and its landing.
@usableFromInline
// Safe to share: every property is a constant and itself `Sendable`.
final class Flight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: AnyFlight, @unchecked Sendable {
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

    /// Where it is entered. Held here, so that whoever holds the flight need not hold the table too: thousands of flights
    /// that count references to one object on several processors would wait for each other.
    @usableFromInline let table: InFlight<Key, Value, Progress>
    @usableFromInline let key: Key
    @usableFromInline let board: Mutex<Board>

    @inlinable init(_ table: InFlight<Key, Value, Progress>, key: Key, priority: UInt8) {
        self.table = table
        self.key = key
        board = Mutex(Board())
        super.init(priority: priority)
    }

    /// Spelled out, so that it is compiled with the rest.
    @inlinable deinit {}

    /// The latest report.
    @inlinable var latest: Report? { board.withLock { $0.latest } }

    /// Notes how far the work has come, and tells the callers who want to know.
    ///
    /// - Parameter number: That of another flight's report, which is dropped when a later one has come before; `nil` for the
    ///   flight's own.
    @inlinable func report(_ progress: Progress, number: Int? = nil) {
        let number = board.withLock { board -> Int? in
            let last = board.latest?.number ?? 0
            let number = number ?? last + 1
            guard board.landing == nil, number > last else { return nil }
            board.latest = Report(number: number, progress: progress)
            return number
        }
        if let number { announce(number) }
    }

    /// Ends the flight and its callers' waits.
    @inlinable func land(_ result: Result<Value, any Error>) {
        board.withLock { $0.landing = result }
        land()
    }

    /// What the flight has brought.
    ///
    /// - Returns: `nil` when it is in the air.
    /// - Throws: The operation's error.
    @inlinable @inline(never) func value() throws -> Value? { try board.withLock { $0.landing }?.get() }

    /// Waits for the landing, and tells how far the work has come.
    ///
    /// - Returns: `false` when the caller has left, or every flight was cancelled.
    @inlinable @inline(never) func hasLanded(seat: Int, _ onProgress: (Progress) async -> Void) async -> Bool {
        var known = 0
        while true {
            let news = await unsafe withUnsafeContinuation { unsafe park($0, in: seat, knowing: known) }
            guard news == .progress else { return news == .landed }
            guard let report = latest else { continue }
            known = report.number
            await onProgress(report.progress)
        }
    }
}
