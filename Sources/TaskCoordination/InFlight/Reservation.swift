/// What a flight holds while it waits to begin. It is no task yet.
@usableFromInline enum Reservation: Sendable {
    /// A place in the queue for a slot.
    case slot(Slots.Place)
    /// A seat in another flight, and how to leave it.
    case flight(AnyFlight, leave: @Sendable () -> Bool)

    /// Moves it forward; does nothing when the wait is over.
    func rise(to priority: UInt8) {
        switch self {
        case .slot(let place): place.rise(to: priority)
        case .flight(let flight, _): flight.rise(to: priority)
        }
    }

    /// Gives it up.
    ///
    /// - Returns: `false` when the wait is over already.
    func leave() -> Bool {
        switch self {
        case .slot(let place): place.leave()
        case .flight(_, let leave): leave()
        }
    }
}
