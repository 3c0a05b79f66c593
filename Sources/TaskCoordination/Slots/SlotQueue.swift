/// Who goes first among waiters of the same priority.
public enum SlotOrder: Sendable, Hashable {
    /// The one that came first.
    case fifo
    /// The one that came last.
    case lifo
}

/// Who runs next: a line for each priority, in the order of arrival.
///
/// A pure value without tasks or locks, so that the whole policy can be tested as arithmetic. Identifiers that are no
/// longer queued are ignored by ``remove(_:)`` and ``raise(_:to:)``: a cancellation or an escalation may always come too
/// late.
///
/// Priorities are the raw values of `TaskPriority`, all 256 of them; a greater one runs first.
public struct SlotQueue<Waiter> {
    /// Names a waiter of one queue. None is given twice.
    public struct ID: Hashable, Sendable {
        fileprivate let row: Int
        fileprivate let arrival: UInt64
    }

    /// The waiters of one priority.
    fileprivate struct Line {
        let priority: UInt8
        /// In the order of arrival. Who leaves, or is raised, leaves a gap: a name that means nobody in this line.
        var ids: [ID] = []
        /// Before it are gaps only.
        var start = 0
        /// How many wait.
        var count = 0
    }

    /// A waiter. Rows are used again: a dictionary without the hashing.
    fileprivate struct Row {
        var arrival: UInt64
        /// The line it stands in.
        var priority: UInt8 = 0
        /// `nil` while it is only reserved.
        var waiter: Waiter?
    }

    private let order: SlotOrder
    /// The most urgent first; as many as there have been priorities.
    private var lines: [Line] = []
    private var rows: [Row] = []
    private var freeRows: [Int] = []
    /// How many names have been given.
    private(set) var arrivals: UInt64

    /// How many waiters are queued.
    public private(set) var count = 0

    /// Creates an empty queue.
    public init(order: SlotOrder = .fifo) {
        self.init(order: order, arrivals: 0)
    }

    /// Creates an empty queue in the place of one that has given so many names.
    init(order: SlotOrder, arrivals: UInt64) {
        self.order = order
        self.arrivals = arrivals
    }

    /// Whether nobody waits.
    public var isEmpty: Bool { count == 0 }

    /// Names a waiter who is not queued yet, so that who may have to move it or take it out knows it before.
    ///
    /// ``insert(_:as:priority:)`` or ``giveUp(_:)`` must follow.
    ///
    /// - Complexity: O(1).
    public mutating func reserve() -> ID {
        arrivals += 1
        let id = ID(row: freeRows.popLast() ?? rows.count, arrival: arrivals)
        let row = Row(arrival: arrivals)
        if id.row < rows.count { rows[id.row] = row } else { rows.append(row) }
        return id
    }

    /// Forgets a reserved name.
    ///
    /// - Complexity: O(1).
    public mutating func giveUp(_ id: ID) {
        rows[id.row] = Row(arrival: 0)
        freeRows.append(id.row)
    }

    /// Adds a waiter.
    ///
    /// - Precondition: `id` is reserved.
    /// - Complexity: O(1), amortised.
    public mutating func insert(_ waiter: Waiter, as id: ID, priority: UInt8) {
        precondition(rows[id.row].arrival == id.arrival && rows[id.row].waiter == nil, "the name is not reserved")
        rows[id.row].waiter = waiter
        count += 1
        enterLine(of: priority, id)
    }

    /// Adds a waiter.
    ///
    /// - Complexity: O(1), amortised.
    public mutating func insert(_ waiter: Waiter, priority: UInt8) -> ID {
        let id = reserve()
        insert(waiter, as: id, priority: priority)
        return id
    }

    /// Takes the waiter who runs next.
    ///
    /// - Complexity: O(1), amortised.
    public mutating func popFirst() -> Waiter? {
        guard let line = lines.firstIndex(where: { $0.count > 0 }) else { return nil }
        while true {
            let id = lines[line].takeEnd(order)
            if stands(id, in: lines[line].priority) { return remove(id) }
        }
    }

    /// The waiter who runs next.
    ///
    /// - Complexity: O(1), amortised.
    var first: Waiter? {
        mutating get { firstID.flatMap { rows[$0.row].waiter } }
    }

    /// The priority of the waiter who runs next.
    ///
    /// - Complexity: O(1): a look at each priority that there has been.
    var firstPriority: UInt8? { lines.first { $0.count > 0 }?.priority }

    private var firstID: ID? {
        mutating get {
            guard let line = lines.firstIndex(where: { $0.count > 0 }) else { return nil }
            while true {
                let id = lines[line].end(order)
                if stands(id, in: lines[line].priority) { return id }
                _ = lines[line].takeEnd(order)
            }
        }
    }

    /// Takes a waiter out of the queue, wherever it stands.
    ///
    /// - Returns: The waiter, or `nil` when it is not queued.
    /// - Complexity: O(1), amortised.
    @discardableResult
    public mutating func remove(_ id: ID) -> Waiter? {
        guard isQueued(id) else { return nil }
        let (waiter, priority) = (rows[id.row].waiter.take(), rows[id.row].priority)
        giveUp(id)
        count -= 1
        leaveLine(of: priority)
        return waiter
    }

    /// Moves a waiter forward, to its place by arrival among those of the new priority.
    ///
    /// A lower priority than the present one is ignored, as tasks do not lose priority either.
    ///
    /// - Complexity: O(log n) and a shift of those behind it, of n with the new priority.
    public mutating func raise(_ id: ID, to priority: UInt8) {
        guard isQueued(id) else { return }
        let present = rows[id.row].priority
        guard present < priority else { return }
        enterLine(of: priority, id)
        leaveLine(of: present)
    }

    /// Takes everybody out, in no particular order.
    ///
    /// - Complexity: O(`count`).
    public mutating func removeAll() -> [Waiter] { removeAll { _ in true } }

    /// Takes out those for whom `isGone` says so.
    ///
    /// - Complexity: O(`count`).
    mutating func removeAll(where isGone: (Waiter) -> Bool) -> [Waiter] {
        let leaving = lines.flatMap { line in
            line.ids.filter { stands($0, in: line.priority) && isGone(rows[$0.row].waiter!) }
        }
        return leaving.compactMap { remove($0) }
    }

    /// Whether no name is in use, queued or reserved.
    var isUnused: Bool { freeRows.count == rows.count }

    /// How many places there are, gaps among them.
    ///
    /// Told to tests.
    var placeCount: (inLines: Int, inRows: Int) { (lines.reduce(0) { $0 + $1.ids.count }, rows.count) }

    /// How many names are reserved, and neither queued nor given up.
    ///
    /// Told to tests.
    var reservedCount: Int { rows.count - freeRows.count - count }

    private func isQueued(_ id: ID) -> Bool {
        id.row < rows.count && rows[id.row].arrival == id.arrival && rows[id.row].waiter != nil
    }
}

extension SlotQueue: Sendable where Waiter: Sendable {}

extension SlotQueue.Row: Sendable where Waiter: Sendable {}

// MARK: - Lines

extension SlotQueue {
    private func stands(_ id: ID, in priority: UInt8) -> Bool { isQueued(id) && rows[id.row].priority == priority }

    private mutating func enterLine(of priority: UInt8, _ id: ID) {
        rows[id.row].priority = priority
        let place = lines.firstIndex { $0.priority <= priority } ?? lines.count
        if place == lines.count || lines[place].priority < priority {
            lines.insert(Line(priority: priority), at: place)
        }
        lines[place].enter(id)
    }

    /// Gaps take no more room than those who wait.
    private mutating func leaveLine(of priority: UInt8) {
        guard let place = lines.firstIndex(where: { $0.priority == priority }) else { return }
        lines[place].count -= 1
        guard lines[place].ids.count > 2 * lines[place].count + 16 else { return }
        lines[place].ids = lines[place].ids.filter { stands($0, in: priority) }
        lines[place].start = 0
    }
}

extension SlotQueue.Line {
    /// At the end, unless it has been raised or had its name for a while.
    mutating func enter(_ id: SlotQueue.ID) {
        count += 1
        if let last = ids.last, last.arrival > id.arrival {
            ids.insert(id, at: place(for: id.arrival))
        } else {
            ids.append(id)
        }
    }

    /// Takes the name at the end where the next one goes. There is one, as long as somebody waits.
    mutating func takeEnd(_ order: SlotOrder) -> SlotQueue.ID {
        guard order == .fifo else { return ids.removeLast() }
        start += 1
        return ids[start - 1]
    }

    /// The name that ``takeEnd(_:)`` takes.
    func end(_ order: SlotOrder) -> SlotQueue.ID { order == .fifo ? ids[start] : ids[ids.count - 1] }

    private func place(for arrival: UInt64) -> Int {
        var (low, high) = (start, ids.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ids[middle].arrival < arrival { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
