/// When an entry must have been stored to count: not too long ago, and not in the future.
///
/// A wrong clock may date entries in the future. Such entries would not expire.
struct Lifetime {
    /// Clocks of machines that share a folder may differ by this many seconds.
    static let tolerance: Int64 = 60

    /// Entries stored at or before this time are too old, in seconds since 1970.
    let expiry: Int64
    /// Entries stored after this time come from a clock that was wrong.
    let latest: Int64

    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - maximumAge: Negative values count as zero.
    init(now: Int64, maximumAge: Duration) {
        let (oldest, isBeforeAll) = now.subtractingReportingOverflow(max(0, maximumAge.wholeSeconds))
        let (newest, isAfterAll) = now.addingReportingOverflow(Self.tolerance)
        expiry = isBeforeAll ? .min : oldest
        latest = isAfterAll ? .max : newest
    }

    /// Whether an entry stored at this time counts.
    func covers(_ storedAt: Int64) -> Bool { expiry < storedAt && storedAt <= latest }
}

extension Duration {
    /// The whole seconds, limited to 64 bits; `components` traps beyond.
    var wholeSeconds: Int64 {
        min(max(self, .seconds(Int64.min)), .seconds(Int64.max)).components.seconds
    }
}
