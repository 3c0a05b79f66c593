/// Measures how long something took.
///
/// Its layout is known, unlike that of a `ContinuousClock.Instant`, so the layout of an object or a suspended function
/// that holds one is known at compile time. Functions that use instants are not inlined for the same reason.
struct Stopwatch: Sendable {
    private static let origin = ContinuousClock.now

    private let start: Duration

    /// Creates a stopwatch that runs.
    @inline(never) init() { start = Self.origin.duration(to: .now) }

    /// The time since it was made.
    @inline(never) var elapsed: Duration { Self.origin.duration(to: .now) - start }
}
