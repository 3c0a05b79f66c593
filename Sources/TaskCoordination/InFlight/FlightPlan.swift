/// What a flight does, and which other flight it waits for first.
///
/// Made once for each flight, by the call that starts it.
public protocol FlightPlan<Value, Progress>: Sendable {
    associatedtype Value: Sendable
    associatedtype Progress: Sendable

    /// The flight to wait for. Until it is over, this one is no task; its reports are passed on.
    ///
    /// Not looked at by tables with slots.
    var connection: Connection<Progress>? { get }

    /// The work.
    ///
    /// - Parameter report: Tells the flight's callers how far it has come. Never waits; what comes after the flight's end
    ///   reaches nobody.
    @concurrent func fly(_ report: @escaping @Sendable (Progress) -> Void) async throws -> Value
}

extension FlightPlan {
    /// None.
    public var connection: Connection<Progress>? { nil }
}

/// How a flight begins: what the flight that it waits for is told.
public struct Departure: Sendable {
    /// The priority of the first caller, the raw value of a `TaskPriority`.
    @usableFromInline let priority: UInt8
    /// The actor that the first caller runs on.
    @usableFromInline let isolation: (any Actor)?

    @usableFromInline init(priority: UInt8, isolation: (any Actor)?) {
        self.priority = priority
        self.isolation = isolation
    }
}

/// A seat in a flight that is held for another one, which begins when this one is over.
///
/// Knows nothing of the keys and the values of the flight it is in; ``InFlight/Ticket`` does.
public struct Connection<Progress: Sendable>: Sendable {
    @usableFromInline let flight: AnyFlight
    @usableFromInline let seat: Int
    @usableFromInline let leave: @Sendable () -> Bool
    @usableFromInline let latest: @Sendable () -> (Progress, number: Int)?

    @usableFromInline
    init(
        flight: AnyFlight, seat: Int, leave: @escaping @Sendable () -> Bool,
        latest: @escaping @Sendable () -> (Progress, number: Int)?
    ) {
        self.flight = flight
        self.seat = seat
        self.leave = leave
        self.latest = latest
    }
}
