/// Who goes first among waiters of the same priority.
public enum SlotOrder: Sendable, Hashable {
    /// The one that came first.
    case fifo
    /// The one that came last.
    case lifo
}

/// Who runs next: a binary heap, ordered by priority and then by arrival, which forgets who has left when it is convenient.
///
/// A pure value without tasks or locks, so that the whole policy can be tested as arithmetic. Identifiers that are
/// no longer queued are ignored by ``remove(_:)`` and ``raise(_:to:)``: a cancellation or an escalation may always come too
/// late.
///
/// Priorities are the raw values of `TaskPriority`, all 256 of them; a greater one runs first.
public struct SlotQueue<Waiter> {
    /// Names a waiter of one queue. None is given twice.
    public struct ID: Hashable, Sendable {
        fileprivate let row: Int
        fileprivate let arrival: UInt64
    }

    /// A place in the heap. Who leaves or is raised leaves an old one behind.
    private struct Entry {
        let id: ID
        let priority: UInt8
    }

    /// A waiter. Rows are used again: a dictionary without the hashing.
    fileprivate struct Row {
        var arrival: UInt64
        /// What it waits with now; its entries with another priority are old.
        var priority: UInt8 = 0
        /// `nil` while it is only reserved.
        var waiter: Waiter?
    }

    private let order: SlotOrder
    private var heap: [Entry] = []
    private var rows: [Row] = []
    private var freeRows: [Int] = []
    private var arrivals: UInt64 = 0

    /// How many waiters are queued.
    public private(set) var count = 0

    /// Creates an empty queue.
    public init(order: SlotOrder = .fifo) {
        self.order = order
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
    /// - Complexity: O(log `count`); O(1) for one who is to be the last.
    public mutating func insert(_ waiter: Waiter, as id: ID, priority: UInt8) {
        precondition(rows[id.row].arrival == id.arrival && rows[id.row].waiter == nil, "the name is not reserved")
        rows[id.row].waiter = waiter
        count += 1
        enter(id, priority)
    }

    /// Adds a waiter.
    ///
    /// - Complexity: O(log `count`); O(1) for one who is to be the last.
    public mutating func insert(_ waiter: Waiter, priority: UInt8) -> ID {
        let id = reserve()
        insert(waiter, as: id, priority: priority)
        return id
    }

    /// Takes the waiter who runs next.
    ///
    /// - Complexity: O(log `count`), amortised.
    public mutating func popFirst() -> Waiter? {
        while let first = heap.first {
            let last = heap.removeLast()
            if !heap.isEmpty {
                heap[0] = last
                siftDown(0)
            }
            if isCurrent(first) { return remove(first.id) }
        }
        return nil
    }

    /// Takes a waiter out of the queue, wherever it stands.
    ///
    /// Its entry stays behind, until they are the half of all.
    ///
    /// - Returns: The waiter, or `nil` when it is not queued.
    /// - Complexity: O(1), amortised.
    @discardableResult
    public mutating func remove(_ id: ID) -> Waiter? {
        guard isQueued(id) else { return nil }
        let waiter = rows[id.row].waiter.take()
        giveUp(id)
        count -= 1
        clearUp()
        return waiter
    }

    /// Moves a waiter forward.
    ///
    /// A lower priority than the present one is ignored, as tasks do not lose priority either.
    ///
    /// - Complexity: O(log `count`), amortised.
    public mutating func raise(_ id: ID, to priority: UInt8) {
        guard isQueued(id), rows[id.row].priority < priority else { return }
        enter(id, priority)
        clearUp()
    }

    /// Takes everybody out, in no particular order.
    ///
    /// - Complexity: O(`count`).
    public mutating func removeAll() -> [Waiter] {
        let current = heap.filter(isCurrent)
        heap = []
        return current.compactMap { remove($0.id) }
    }

    private func isQueued(_ id: ID) -> Bool {
        id.row < rows.count && rows[id.row].arrival == id.arrival && rows[id.row].waiter != nil
    }
}

extension SlotQueue: Sendable where Waiter: Sendable {}

extension SlotQueue.Row: Sendable where Waiter: Sendable {}

// MARK: - The heap

extension SlotQueue {
    private func isCurrent(_ entry: Entry) -> Bool {
        isQueued(entry.id) && rows[entry.id.row].priority == entry.priority
    }

    private mutating func enter(_ id: ID, _ priority: UInt8) {
        rows[id.row].priority = priority
        heap.append(Entry(id: id, priority: priority))
        siftUp(heap.count - 1)
    }

    /// Old entries cost no more than those that count.
    private mutating func clearUp() {
        guard heap.count > 2 * count + 16 else { return }
        heap = heap.filter(isCurrent)
        for place in (0..<heap.count / 2).reversed() { siftDown(place) }
    }

    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        guard one.priority == other.priority else { return one.priority > other.priority }
        return order == .fifo ? one.id.arrival < other.id.arrival : one.id.arrival > other.id.arrival
    }

    private mutating func siftUp(_ start: Int) {
        var place = start
        while place > 0, precedes(heap[place], heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var place = start
        while true {
            var best = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if precedes(heap[child], heap[best]) { best = child }
            }
            guard best != place else { return }
            heap.swapAt(place, best)
            place = best
        }
    }
}
