/// Prints what was counted, and remembers whether all of it was as it should be.
struct Ledger {
    private(set) var isClean = true

    mutating func check(_ name: String, _ count: Int, atMost limit: Int) {
        print("  \(name): \(count)\(verdict(count <= limit))")
    }

    /// What is taken while the world lives must be given back at its end.
    mutating func compare(_ name: String, _ start: Int, _ later: Int, _ end: Int, slack: Int) {
        print(
            "  \(name): \(start) at the start, \(later) after the rounds, \(end) at the end"
                + verdict(end <= start + slack))
    }

    private mutating func verdict(_ isFine: Bool) -> String {
        if !isFine { isClean = false }
        return isFine ? "" : "   <-- stayed"
    }
}
