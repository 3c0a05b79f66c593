/// A caller who wants the value alone.
@usableFromInline struct NoListener<Progress: Sendable>: FlightListener {
    @inlinable init() {}

    @inlinable var hearsProgress: Bool { false }

    @inlinable @inline(__always) func hasLanded(
        _ flight: Flight<some Hashable & Sendable, some Sendable, Progress>, _ seat: Int
    ) async -> Bool {
        await flight.hasLanded(seat: seat)
    }
}
