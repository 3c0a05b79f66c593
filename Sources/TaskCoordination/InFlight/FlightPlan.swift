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

    /// The lane in which it waits for a slot; see ``Slots``. One for all by default.
    var lane: String { get }

    /// The work.
    ///
    /// - Parameter report: Tells the flight's callers how far it has come. Never waits; what comes after the flight's end
    ///   reaches nobody.
    @concurrent func fly(_ report: @escaping @Sendable (Progress) -> Void) async throws -> Value
}

extension FlightPlan {
    /// None.
    public var connection: Connection<Progress>? { nil }

    /// One for all.
    public var lane: String { "" }
}
