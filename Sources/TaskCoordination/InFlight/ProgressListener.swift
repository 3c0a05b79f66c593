/// A caller who wants to hear how far the work has come.
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
