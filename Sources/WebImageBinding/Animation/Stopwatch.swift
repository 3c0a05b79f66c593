/// Measures on a clock of any kind how long ago it was made.
struct Stopwatch {
    private let measure: () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        measure = { start.duration(to: clock.now) }
    }

    var elapsed: Duration { measure() }
}
