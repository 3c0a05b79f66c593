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

    /// Adds a caller.
    ///
    /// - Returns: The identifier to leave with. None is given twice.
    mutating func join(_ caller: Caller) -> Int {
        lastID += 1
        count += 1
        entries.append(Entry(id: lastID, caller: caller))
        return lastID
    }

    /// The caller, for as long as it is present.
    ///
    /// Who has left cannot be brought back: setting it does nothing.
    subscript(id: Int) -> Caller? {
        get { place(of: id).flatMap { entries[$0].caller } }
        set {
            guard let place = place(of: id), let newValue, entries[place].caller != nil else { return }
            entries[place].caller = newValue
        }
    }

    /// Removes a caller.
    ///
    /// - Returns: The caller; `nil` for one who has left already.
    mutating func leave(_ id: Int) -> Caller? {
        guard let place = place(of: id), let caller = entries[place].caller else { return nil }
        entries[place].caller = nil
        count -= 1
        if entries.count > 16, count < entries.count / 2 { entries.removeAll { $0.caller == nil } }
        return caller
    }

    /// Changes every caller present, first come first.
    mutating func update(_ change: (inout Caller) -> Void) {
        for place in entries.indices where entries[place].caller != nil { change(&entries[place].caller!) }
    }

    /// Removes everybody.
    ///
    /// - Returns: The callers, first come first.
    mutating func removeAll() -> [Caller] {
        defer { (entries, count) = ([], 0) }
        return entries.compactMap(\.caller)
    }

    private func place(of id: Int) -> Int? {
        // Most flights have one caller, who joined last.
        var (low, high) = (entries.last?.id == id ? entries.count - 1 : 0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }
}
