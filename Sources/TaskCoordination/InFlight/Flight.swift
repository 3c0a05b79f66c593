/// One piece of shared work: where it is entered, and what it brings.
@usableFromInline
// Safe to share: every property is a constant and itself `Sendable`.
final class Flight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: AnyFlight, @unchecked Sendable {
    /// How a flight has ended.
    @usableFromInline final class Landing: Sendable {
        @usableFromInline let result: Result<Value, any Error>

        @inlinable init(_ result: Result<Value, any Error>) { self.result = result }
        @inlinable deinit {}
    }

    /// Where it is entered. Held here, so that whoever holds the flight need not hold the table too: thousands of flights
    /// that count references to one object on several processors would wait for each other.
    @usableFromInline let table: InFlight<Key, Value, Progress>
    @usableFromInline let key: Key

    @inlinable init(_ table: InFlight<Key, Value, Progress>, key: Key, priority: UInt8) {
        self.table = table
        self.key = key
        super.init(priority: priority)
    }

    /// Spelled out, so that it is compiled with the rest.
    @inlinable deinit {}

    /// Tells the callers who want to know how far the work has come.
    @inlinable func report(_ progress: Progress) { note(FlightReport(progress), number: nil) }

    /// Ends the flight and its callers' waits.
    @inlinable func land(_ result: Result<Value, any Error>) { land(Landing(result)) }

    /// Ends the flight while its operation goes on.
    @usableFromInline override func detach(lane: String, throwing error: any Error) -> Bool {
        table.detach(self, lane: lane, Landing(.failure(error)))
    }

    /// What the flight has brought.
    ///
    /// - Returns: `nil` when it is in the air, or has been abandoned.
    /// - Throws: The operation's error.
    @inlinable @inline(never) func value() throws -> Value? {
        // Safe: only `land(_:)` above puts a landing in.
        try landing.map { unsafe try unsafeDowncast($0, to: Landing.self).result.get() }
    }

    /// Waits for the landing, and tells how far the work has come.
    ///
    /// - Returns: `false` when the caller has left, or every flight was cancelled.
    @inlinable @inline(never) func hasLanded(seat: Int, _ onProgress: (Progress) async -> Void) async -> Bool {
        var known = 0
        while true {
            let news = await unsafe withUnsafeContinuation { unsafe park($0, in: seat, knowing: known) }
            guard news == .progress else { return news == .landed }
            guard let (report, number) = latestReport else { continue }
            known = number
            await onProgress(FlightReport.progress(of: report))
        }
    }
}
