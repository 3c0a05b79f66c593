/// Prints what was counted, and remembers whether all of it was as it should be.
struct Ledger {
    /// The most that memory may grow by. Caches are full and pools are at their width when counting begins, so what is
    /// left is the allocator's; a flight that stayed from every round would take many times this.
    private static let memoryGrowth = 8 << 20

    private(set) var isClean = true

    /// Nothing of this may be left.
    mutating func check(_ name: String, _ count: Int) {
        print("  \(name): \(count)\(verdict(count == 0))")
    }

    /// What is taken while the world lives must be given back at its end.
    mutating func compare(_ name: String, _ start: Int, _ later: Int, _ end: Int) {
        print("  \(name): \(start) at the start, \(later) after the rounds, \(end) at the end\(verdict(end <= start))")
    }

    mutating func compareMemory(_ before: Int, _ after: Int) {
        let verdict = verdict(after - before <= Self.memoryGrowth)
        print("  resident memory: \(before >> 10) kB before the rounds, \(after >> 10) kB after\(verdict)")
    }

    private mutating func verdict(_ isFine: Bool) -> String {
        if !isFine { isClean = false }
        return isFine ? "" : "   <-- stayed"
    }
}
