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

@usableFromInline struct NoListener<Progress: Sendable>: FlightListener {
    @inlinable init() {}

    @inlinable var hearsProgress: Bool { false }

    @inlinable @inline(__always) func hasLanded(
        _ flight: Flight<some Hashable & Sendable, some Sendable, Progress>, _ seat: Int
    ) async -> Bool {
        await flight.hasLanded(seat: seat)
    }
}

@usableFromInline struct ProgressListener<Progress: Sendable>: FlightListener {
    @usableFromInline let onProgress: (Progress) async -> Void

    @inlinable init(_ onProgress: @escaping (Progress) async -> Void) { self.onProgress = onProgress }

    @inlinable var hearsProgress: Bool { true }

    @inlinable func hasLanded(
        _ flight: Flight<some Hashable & Sendable, some Sendable, Progress>, _ seat: Int
    ) async -> Bool {
        await flight.hasLanded(seat: seat, onProgress)
    }
}
