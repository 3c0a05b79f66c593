extension InFlight {
    /// Joins the flight for `key`, or starts it, for a flight of another table, which begins when this one is over.
    ///
    /// - Parameters:
    ///   - departure: The other flight's.
    ///   - plan: Makes the plan of this one, when there is none to join.
    /// - Throws: ``CoordinationError`` with code `.shutDown` after ``close()``.
    @inlinable public func connection(
        for key: Key, _ departure: Departure, plan: (Departure) throws -> some FlightPlan<Value, Progress>
    ) throws -> Ticket {
        let (flight, seat) = try board(key, departure.priority, from: departure.isolation, plan)
        return Ticket(flight: flight, seat: seat)
    }

    /// A seat in a flight of this table that is held for a flight of another.
    public struct Ticket: Sendable {
        @usableFromInline let flight: Flight
        @usableFromInline let seat: Int

        @inlinable init(flight: Flight, seat: Int) {
            self.flight = flight
            self.seat = seat
        }

        /// What the other flight's plan says that it waits for.
        @inlinable public var connection: Connection<Progress> {
            Connection(flight: flight, seat: seat) { [flight, seat] in flight.table.leave(flight, seat) }
        }

        /// What the flight has brought, when it is over.
        ///
        /// - Throws: The operation's error; `CancellationError` when every flight was cancelled.
        @inlinable public func value() throws -> Value {
            if let value = try flight.value() { return value }
            throw CancellationError()
        }
    }
}
