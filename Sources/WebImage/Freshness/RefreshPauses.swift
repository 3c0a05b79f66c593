// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

/// How long the refreshes of originals pause after they have failed: a second after the first failure, twice as long
/// after each further one in a row, and at most a minute.
///
/// Remembers originals up to a limit in bytes; the one whose failure is oldest makes room.
struct RefreshPauses<Key: Hashable> {
    struct Failure {
        var count: Int
        var at: Date
    }

    static var longest: TimeInterval { 60 }

    /// The failures that are remembered. The oldest leave at once when its limit falls.
    var failures: BoundedTable<Key, Failure>

    var count: Int { failures.count }

    init(byteLimit: Int) { failures = BoundedTable(byteLimit: byteLimit) }

    /// Whether a refresh that failed is not tried again yet. A clock that was set back ends every pause.
    func isPaused(_ key: Key, at now: Date) -> Bool {
        guard let failure = failures[key] else { return false }
        let length = min(Self.longest, TimeInterval(1 << min(failure.count - 1, 6)))
        let elapsed = now.timeIntervalSince(failure.at)
        return elapsed >= 0 && elapsed < length
    }

    /// Notes the end of a refresh.
    ///
    /// - Parameter heapByteCount: What the key keeps on the heap.
    /// - Complexity: O(1).
    mutating func note(_ key: Key, hasFailed: Bool, at now: Date, heapByteCount: Int) {
        guard hasFailed else { return _ = failures.remove(key) }
        let failure = Failure(count: (failures[key]?.count ?? 0) + 1, at: now)
        failures.store(failure, for: key, heapByteCount: heapByteCount)
    }
}
