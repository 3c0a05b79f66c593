// SPDX-License-Identifier: MIT
import Foundation

/// How long the refreshes of originals pause after they have failed: a second after the first failure, twice as long
/// after each further one in a row, and at most a minute.
///
/// Remembers at most `capacity` originals; the one whose failure is oldest makes room.
struct RefreshPauses<Key: Hashable> {
    private struct Failure {
        var count: Int
        var at: Date
    }

    static var longest: TimeInterval { 60 }

    private var failures: [Key: Failure] = [:]
    private let capacity: Int

    init(capacity: Int = 1_000) { self.capacity = max(1, capacity) }

    var count: Int { failures.count }

    /// Whether a refresh that failed is not tried again yet. A clock that was set back ends every pause.
    func isPaused(_ key: Key, at now: Date) -> Bool {
        guard let failure = failures[key] else { return false }
        let length = min(Self.longest, TimeInterval(1 << min(failure.count - 1, 6)))
        let elapsed = now.timeIntervalSince(failure.at)
        return elapsed >= 0 && elapsed < length
    }

    /// Notes the end of a refresh.
    ///
    /// - Complexity: O(1); O(`capacity`) for a failure when the memory is full.
    mutating func note(_ key: Key, hasFailed: Bool, at now: Date) {
        guard hasFailed else { return failures[key] = nil }
        if failures[key] == nil, failures.count >= capacity,
            let oldest = failures.min(by: { $0.value.at < $1.value.at })?.key
        {
            failures[oldest] = nil
        }
        failures[key] = Failure(count: (failures[key]?.count ?? 0) + 1, at: now)
    }
}
