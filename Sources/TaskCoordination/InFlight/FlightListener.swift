/// Whether a caller hears of progress while it waits.
///
/// A type for either, so that waiting is compiled for each: who does not listen needs less room.
@usableFromInline protocol FlightListener<Progress> {
    associatedtype Progress: Sendable

    var hearsProgress: Bool { get }

    /// Waits for the landing.
    ///
    /// - Returns: `false` when the caller has left, or every flight was cancelled.
    func hasLanded(_ flight: Flight<some Hashable & Sendable, some Sendable, Progress>, _ seat: Int) async -> Bool
}
