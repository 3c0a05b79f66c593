// SPDX-License-Identifier: MIT
import WebImageBinding

/// Measures the time since its creation on any clock.
struct Stopwatch {
    private let measure: () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        measure = { start.duration(to: clock.now) }
    }

    var elapsed: Duration { measure() }
}

@MainActor
struct Fade {
    private let watch: Stopwatch
    private let duration: Duration

    init(_ duration: Duration, _ clock: some Clock<Duration>) {
        watch = Stopwatch(clock)
        self.duration = duration
    }

    /// 0 at the beginning, 256 at the end.
    var mix: Int { duration > .zero ? min(256, Int(watch.elapsed / duration * 256)) : 256 }
}
