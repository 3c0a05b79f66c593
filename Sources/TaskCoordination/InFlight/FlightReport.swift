/// How far a flight has come. An object, so that it is handed on as it is from one flight to another.
@usableFromInline final class FlightReport<Progress: Sendable>: Sendable {
    @usableFromInline let progress: Progress

    @inlinable init(_ progress: Progress) { self.progress = progress }
    @inlinable deinit {}

    /// What a report of a flight with this kind of progress says.
    @inlinable static func progress(of report: any AnyFlight.Cargo) -> Progress {
        // Safe: a flight's reports are its own, or those of a connection with the same kind of progress.
        unsafe unsafeDowncast(report, to: Self.self).progress
    }
}
