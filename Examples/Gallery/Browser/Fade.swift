/// The progress of a cross-fade.
@MainActor
struct Fade {
    private let elapsed: () -> Duration
    private let duration: Duration

    init(_ duration: Duration, _ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.duration = duration
    }

    /// 0 at the beginning, 256 at the end.
    var mix: Int { duration > .zero ? min(256, Int(elapsed() / duration * 256)) : 256 }
}
