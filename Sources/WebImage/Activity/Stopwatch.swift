/// Tells how long something took.
///
/// Of known layout, unlike a `ContinuousClock.Instant`, so that an object or a suspended function that holds one is laid
/// out when it is compiled. Nor is anything inlined that has to do with instants.
struct Stopwatch: Sendable {
    private static let origin = ContinuousClock.now

    private let start: Duration

    /// Starts to run.
    @inline(never) init() { start = Self.origin.duration(to: .now) }

    /// The time since it was made.
    @inline(never) var elapsed: Duration { Self.origin.duration(to: .now) - start }
}
