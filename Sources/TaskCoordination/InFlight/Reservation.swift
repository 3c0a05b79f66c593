/// What a flight holds while it waits to begin. It is no task yet.
@usableFromInline protocol Reservation: Sendable {
    /// Moves it forward; does nothing when the wait is over.
    func rise(to priority: UInt8)

    /// Gives it up.
    ///
    /// - Returns: `false` when the wait is over already.
    func leave() -> Bool
}

/// A place in the queue for a slot.
extension Slots.Place: Reservation {}

/// A seat in another flight.
@usableFromInline struct HeldSeat: Reservation {
    private let flight: AnyFlight
    private let leaving: @Sendable () -> Bool

    @usableFromInline init(flight: AnyFlight, leaving: @escaping @Sendable () -> Bool) {
        self.flight = flight
        self.leaving = leaving
    }

    @usableFromInline func rise(to priority: UInt8) { flight.rise(to: priority) }
    @usableFromInline func leave() -> Bool { leaving() }
}
