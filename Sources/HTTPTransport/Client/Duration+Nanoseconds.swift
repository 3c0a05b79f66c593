extension Duration {
    /// Nanoseconds for a limit: at least a millisecond, at most a day, so that no limit is ever off and no sum overflows.
    var clampedNanoseconds: UInt64 {
        let clamped = min(max(self, .milliseconds(1)), .seconds(86_400))
        let (seconds, attoseconds) = clamped.components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
