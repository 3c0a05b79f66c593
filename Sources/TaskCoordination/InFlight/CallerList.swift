/// The callers of a flight in the order of their arrival, each of whom may leave at any time.
///
/// An array with gaps. Identifiers grow, so an entry is found by bisection, and the gaps are closed when they
/// outnumber the entries: joining costs O(1), leaving O(log n), both amortised, and memory follows the live callers.
struct CallerList<Caller> {
    private struct Entry {
        let id: Int
        var caller: Caller?
    }

    private var entries: [Entry] = []
    private var lastID = 0

    /// How many callers have joined and not left.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The callers present, first come first.
    var present: some Sequence<Caller> { entries.lazy.compactMap { $0.caller } }

    /// Adds a caller.
    ///
    /// - Returns: The identifier to leave with, unique within this list.
    mutating func join(_ caller: Caller) -> Int {
        lastID += 1
        count += 1
        entries.append(Entry(id: lastID, caller: caller))
        return lastID
    }

    /// Removes a caller.
    ///
    /// One who has left already is ignored.
    mutating func leave(_ id: Int) {
        guard let place = place(of: id), entries[place].caller != nil else { return }
        entries[place].caller = nil
        count -= 1
        if entries.count > 16, count < entries.count / 2 { entries.removeAll { $0.caller == nil } }
    }

    private func place(of id: Int) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }
}
