/// How a flight begins: what its plan is told.
public struct Departure: Sendable {
    /// The flight itself.
    public let flight: FlightHandle
    /// The priority of the first caller, the raw value of a `TaskPriority`.
    @usableFromInline let priority: UInt8
    /// The actor that the first caller runs on.
    @usableFromInline let isolation: (any Actor)?

    @usableFromInline init(flight: AnyFlight, priority: UInt8, isolation: (any Actor)?) {
        self.flight = FlightHandle(flight: flight)
        self.priority = priority
        self.isolation = isolation
    }
}
