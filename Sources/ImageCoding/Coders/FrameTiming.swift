// SPDX-License-Identifier: MIT
/// How long frames are shown, by the rules that browsers share.
enum FrameTiming {
    /// A delay below 11 ms counts as 100 ms: such files ask for the highest speed and expect that of old browsers.
    static func duration(milliseconds: Int) -> Duration {
        .milliseconds(milliseconds < 11 ? 100 : milliseconds)
    }

    /// A duration in whole milliseconds, at least 0, for writing.
    static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        // A day is longer than any format can hold, and cannot overflow.
        if seconds >= 86_400 { return 86_400_000 }
        if seconds < 0 { return 0 }
        return max(0, Int(seconds) * 1_000 + Int((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000))
    }
}
