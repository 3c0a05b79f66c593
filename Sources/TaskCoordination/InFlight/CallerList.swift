/// The callers of a flight in the order of their arrival, each of whom may leave at any time.
///
/// The first one in place, since most flights have no other; the others in an array with gaps. Identifiers grow, so an entry
/// is found by bisection, and the gaps are closed when they outnumber the entries: joining costs O(1), leaving O(log n), both
/// amortised, and memory follows the live callers.
struct CallerList<Caller> {
    private struct Entry {
        let id: Int
        var caller: Caller?
    }

    /// Whose identifier is 1.
    private var first: Caller?
    private var entries: [Entry] = []
    private var lastID = 0

    /// How many callers have joined and not left.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many places there are behind the first one, gaps among them.
    ///
    /// Told to tests.
    var placeCount: Int { entries.count }

    /// Adds a caller.
    ///
    /// - Returns: The identifier to leave with. None is given twice.
    mutating func join(_ caller: Caller) -> Int {
        lastID += 1
        count += 1
        if lastID == 1 { first = caller } else { entries.append(Entry(id: lastID, caller: caller)) }
        return lastID
    }

    /// The caller, for as long as it is present.
    ///
    /// Who has left cannot be brought back: setting it does nothing.
    subscript(id: Int) -> Caller? {
        get { id == 1 ? first : place(of: id).flatMap { entries[$0].caller } }
        set { if let newValue { replace(id, by: newValue) } }
    }

    /// Removes a caller.
    ///
    /// - Returns: The caller; `nil` for one who has left already.
    mutating func leave(_ id: Int) -> Caller? {
        guard let caller = replace(id, by: nil) else { return nil }
        count -= 1
        if entries.count > 16, count < entries.count / 2 { entries.removeAll { $0.caller == nil } }
        return caller
    }

    /// - Returns: Who was there; `nil`, and nothing is changed, when nobody was.
    @discardableResult
    private mutating func replace(_ id: Int, by caller: Caller?) -> Caller? {
        if id == 1 {
            defer { if first != nil { first = caller } }
            return first
        }
        guard let place = place(of: id), let present = entries[place].caller else { return nil }
        entries[place].caller = caller
        return present
    }

    /// Changes every caller present, first come first.
    mutating func update(_ change: (inout Caller) -> Void) {
        if first != nil { change(&first!) }
        for place in entries.indices where entries[place].caller != nil { change(&entries[place].caller!) }
    }

    /// Removes everybody.
    ///
    /// - Returns: The callers, first come first.
    mutating func removeAll() -> [Caller] {
        defer { (first, entries, count) = (nil, [], 0) }
        return [first].compactMap(\.self) + entries.compactMap(\.caller)
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
