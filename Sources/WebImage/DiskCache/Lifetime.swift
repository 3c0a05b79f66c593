// SPDX-License-Identifier: MIT
extension DiskCache {
    /// From when the age of an entry is counted.
    public enum Expiry: Sendable, CaseIterable {
        /// From its last use. An entry that is read before it is too old stays.
        case sinceUse
        /// From when it was stored or renewed.
        case sinceStore
    }
}

/// Decides which entries count: those that are not too old, and not from the future.
///
/// A wrong clock may date entries in the future. Such entries would not expire.
package struct Lifetime {
    /// Clocks of machines that share a folder may differ by this many seconds.
    package static let tolerance: Int64 = 60

    /// Seconds since 1970.
    let now: Int64
    /// Entries stored or used last at or before this time are too old, in seconds since 1970; `nil` when none is.
    let limit: Int64?
    /// Entries stored after this time come from a clock that was wrong.
    let latest: Int64
    let expiry: DiskCache.Expiry
    /// A use is noted in the file when the one noted there is older, in seconds.
    let useInterval: Int64

    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - maximumAge: Entries never get too old when it is negative.
    package init(now: Int64, maximumAge: Duration, expiry: DiskCache.Expiry = .sinceStore) {
        let age = maximumAge.wholeSeconds
        let (oldest, isBeforeAll) = now.subtractingReportingOverflow(max(0, age))
        let (newest, isAfterAll) = now.addingReportingOverflow(Self.tolerance)
        self.now = now
        self.expiry = expiry
        limit = maximumAge < .zero ? nil : isBeforeAll ? .min : oldest
        latest = isAfterAll ? .max : newest
        useInterval = maximumAge < .zero ? 86_400 : min(max(1, age / 16), 86_400)
    }

    /// The rule for an entry with an age of its own; this one without.
    package func own(_ age: CacheAge?) -> Lifetime {
        guard let age else { return self }
        let limit = age.length.map { max(.zero, $0) } ?? .seconds(-1)
        return Lifetime(now: now, maximumAge: limit, expiry: age.isSliding ? .sinceUse : .sinceStore)
    }

    /// Whether an entry with these times counts.
    ///
    /// - Parameters:
    ///   - usedAt: A time in the future says nothing.
    ///   - keptUntil: The end of the entry's own; `nil` when it has none.
    package func covers(storedAt: Int64, usedAt: Int64, keptUntil: Int64?) -> Bool {
        if let keptUntil, keptUntil <= now { return false }
        guard let limit else { return true }
        guard storedAt <= latest else { return false }
        return limit < storedAt || (expiry == .sinceUse && limit < usedAt && usedAt <= latest)
    }

    /// Whether a use that is noted for this time must be noted again.
    func isOutdated(use usedAt: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(usedAt)
        return overflow || age >= useInterval || usedAt > latest
    }
}

extension Duration {
    /// The whole seconds, limited to 64 bits; `components` traps beyond.
    package var wholeSeconds: Int64 {
        min(max(self, .seconds(Int64.min)), .seconds(Int64.max)).components.seconds
    }
}
