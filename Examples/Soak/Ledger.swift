// SPDX-License-Identifier: MIT
/// Prints counts, and remembers whether all of them were as expected.
struct Ledger {
    /// The largest growth of memory. Caches are full and pools are at their width when counting begins, so only the
    /// allocator grows. One leaked flight per round would take many times this.
    private static let memoryGrowth = 8 << 20

    private(set) var isClean = true

    /// Checks that a count is zero.
    mutating func check(_ name: String, _ count: Int) {
        print("  \(name): \(count)\(verdict(count == 0))")
    }

    /// Checks that resources taken during the life of a world were given back at its end.
    mutating func compare(_ name: String, _ start: Int, _ later: Int, _ end: Int) {
        print("  \(name): \(start) at the start, \(later) after the rounds, \(end) at the end\(verdict(end <= start))")
    }

    mutating func compareMemory(_ before: Int, _ after: Int) {
        let verdict = verdict(after - before <= Self.memoryGrowth)
        print("  resident memory: \(before >> 10) kB before the rounds, \(after >> 10) kB after\(verdict)")
    }

    private mutating func verdict(_ isFine: Bool) -> String {
        if !isFine { isClean = false }
        return isFine ? "" : "   <-- leaked"
    }
}
