/// The hashes of entries that left lately, oldest forgotten first.
///
/// Two keys with one hash count as one: the worst that follows is an entry placed better than it deserves.
struct GhostQueue {
    /// The turn at which each hash was last remembered.
    private var turns: [Int: Int] = [:]
    /// Hashes in order of their turn; one that was forgotten or remembered again stays until its place is reached.
    private var line: [(hash: Int, turn: Int)] = []
    private var head = 0
    private var turn = 0

    /// The number of hashes remembered.
    var count: Int { turns.count }

    /// The places in the line, those of forgotten hashes and those passed included; bounded by twice the limit, or some
    /// more than a thousand.
    var length: Int { line.count }

    /// Remembers `hash`, and forgets the oldest beyond `limit`.
    ///
    /// - Complexity: O(1) amortised.
    mutating func remember(_ hash: Int, atMost limit: Int) {
        turn &+= 1
        turns[hash] = turn
        line.append((hash, turn))
        while line.count - head > limit {
            let oldest = line[head]
            head += 1
            if turns[oldest.hash] == oldest.turn { turns[oldest.hash] = nil }
        }
        if head >= 1024, head * 2 > line.count {
            line.removeFirst(head)
            head = 0
        }
    }

    /// Forgets `hash`; returns whether it was remembered.
    ///
    /// - Complexity: O(1).
    mutating func forget(_ hash: Int) -> Bool { turns.removeValue(forKey: hash) != nil }
}
