/// A seat in a flight that is held for another one, which begins when this one is over.
///
/// Knows nothing of the keys and the values of the flight it is in; ``InFlight/Ticket`` does.
public struct Connection<Progress: Sendable>: Sendable {
    @usableFromInline let flight: AnyFlight
    @usableFromInline let seat: Int
    @usableFromInline let leave: @Sendable () -> Bool

    /// - Parameter flight: One whose progress is of this kind.
    @usableFromInline init(flight: AnyFlight, seat: Int, leave: @escaping @Sendable () -> Bool) {
        self.flight = flight
        self.seat = seat
        self.leave = leave
    }
}
