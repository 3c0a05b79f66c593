// SPDX-License-Identifier: MIT
/// Where a flight waits until it gets its task.
@usableFromInline enum FlightPlace: Sendable {
    /// In the queue for a slot.
    case queue(Slots.Place)
    /// Among the callers of another flight. Closures, because they are compiled for that flight's keys and values, and
    /// the methods of a generic type behind a protocol are not.
    case flight(move: @Sendable (UInt8) -> Void, leave: @Sendable () -> Bool)

    /// Moves the flight forward or back; does nothing when the wait is over.
    @usableFromInline func move(to priority: UInt8) {
        switch self {
        case .queue(let place): place.move(to: priority)
        case .flight(let move, _): move(priority)
        }
    }

    /// Gives the place up.
    ///
    /// - Returns: `false` when the wait is over already, and the flight starts.
    @usableFromInline func leave() -> Bool {
        switch self {
        case .queue(let place): place.leave()
        case .flight(_, let leave): leave()
        }
    }
}

/// What the work of a flight may ask of it.
@usableFromInline protocol FlightOperating: AnyObject, Sendable {
    func waits(at place: FlightPlace?)
    func withoutSlot(lane: String, _ body: @Sendable () async throws -> Void) async throws
}

/// A flight, in the hands of its own work.
@usableFromInline package struct FlightWork: Sendable {
    @usableFromInline let flight: any FlightOperating

    @inlinable init(_ flight: any FlightOperating) { self.flight = flight }

    /// Runs a part of the work without the flight's slot, and waits for one again, in this lane.
    package func withoutSlot(lane: String, _ body: @Sendable () async throws -> Void) async throws {
        try await flight.withoutSlot(lane: lane, body)
    }
}

/// How a flight starts, in the hands of the code that makes its operation.
@usableFromInline package struct FlightStart<Progress: Sendable> {
    /// The lane in which the flight waits for a slot; see ``Slots``.
    @usableFromInline package var lane = ""

    /// Ends the flight while its operation, which is cancelled, goes on: every caller gets the error, the slot is given
    /// back, and ``InFlight/drain()`` does not wait for the operation.
    ///
    /// For an operation that waits for what would wait for it. What it returns reaches no caller. Returns `false`, and
    /// does nothing, when the operation has not begun, has returned, or goes on alone already.
    @usableFromInline package let detach: @Sendable (any Error) -> Bool

    /// For work that waits for a flight of another table, which then sinks with this one's callers.
    @usableFromInline package let work: FlightWork?

    @usableFromInline let priority: UInt8
    @usableFromInline let isolation: (any Actor)?
    /// Waits for the other flight: calls with each report, and with `nil` when it is over. Returns `nil`, and never
    /// calls again, when that is so already.
    @usableFromInline var wait: ((_ call: @escaping @Sendable ((Progress, number: Int)?) -> Void) -> FlightPlace?)?

    @inlinable init(
        priority: UInt8, isolation: (any Actor)?, work: FlightWork? = nil,
        detach: @escaping @Sendable (any Error) -> Bool
    ) {
        self.work = work
        self.priority = priority
        self.isolation = isolation
        self.detach = detach
    }
}

extension InFlight {
    /// A flight of this table that a flight of another table waits for, as one of its callers.
    @usableFromInline package struct Predecessor: Sendable {
        @usableFromInline let flight: Flight
        @usableFromInline let caller: Flight.Caller
        @usableFromInline let number: Int

        @inlinable init(_ flight: Flight, _ caller: Flight.Caller, _ number: Int) {
            (self.flight, self.caller, self.number) = (flight, caller, number)
        }

        /// What it has brought. Asked by the operation of the flight that waits for it.
        ///
        /// - Throws: The operation's error; `CancellationError` when every flight was cancelled.
        @inlinable package func value() throws -> Value {
            guard let value = try caller.value() else { throw CancellationError() }
            return value
        }

        /// Lets a flight of another table wait; see ``FlightStart``.
        @inlinable func wait(calling call: @escaping @Sendable (Flight.Caller.Report?) -> Void) -> FlightPlace? {
            guard caller.wait(calling: call) else { return nil }
            return .flight(
                move: { [flight, number] in flight.move(number, to: $0) },
                leave: { [flight, caller, number] in
                    guard caller.stopWaiting() else { return false }
                    flight.leave(number)
                    return true
                })
        }
    }

    /// Joins the flight for `key`, or starts it, and lets the flight that is starting in another table wait for it.
    ///
    /// Until this one is over, the other one has no task. It passes the reports on, and moves and leaves this one. Not
    /// for tables with slots: their flights wait for these alone.
    ///
    /// - Parameters:
    ///   - start: The other flight's.
    ///   - makeOperation: As for ``value(for:priority:onProgress:starting:)``.
    /// - Throws: ``CoordinationError`` with code `.shutDown` after ``close()``.
    @inlinable package func predecessor(
        for key: Key, of start: inout FlightStart<Progress>,
        starting makeOperation: (inout FlightStart<Progress>) throws -> Operation
    ) throws -> Predecessor {
        let (flight, caller, number) = try join(
            key, start.priority, from: start.isolation, isListening: true, makeOperation)
        let predecessor = Predecessor(flight, caller, number)
        start.wait = { predecessor.wait(calling: $0) }
        return predecessor
    }
}
