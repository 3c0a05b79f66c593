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
