/// Who goes first among waiters of the same priority.
public enum SlotOrder: Sendable, Hashable {
    /// The one that came first.
    case fifo
    /// The one that came last.
    case lifo
}

/// Who runs next: a binary heap with an index, ordered by priority and then by arrival.
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

    private struct Entry {
        let id: ID
        var priority: UInt8
    }

    /// A waiter and where it stands in the heap. Rows are used again: a dictionary without the hashing.
    fileprivate struct Row {
        var arrival: UInt64
        /// `nil` while it is only reserved.
        var place: Int?
        var waiter: Waiter?
    }

    private let order: SlotOrder
    private var heap: [Entry] = []
    private var rows: [Row] = []
    private var freeRows: [Int] = []
    private var arrivals: UInt64 = 0

    /// Creates an empty queue.
    public init(order: SlotOrder = .fifo) {
        self.order = order
    }

    /// How many waiters are queued.
    public var count: Int { heap.count }

    /// Whether nobody waits.
    public var isEmpty: Bool { heap.isEmpty }

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
    /// - Complexity: O(log `count`).
    public mutating func insert(_ waiter: Waiter, as id: ID, priority: UInt8) {
        precondition(rows[id.row].arrival == id.arrival && rows[id.row].place == nil, "the name is not reserved")
        rows[id.row].place = heap.count
        rows[id.row].waiter = waiter
        heap.append(Entry(id: id, priority: priority))
        siftUp(heap.count - 1)
    }

    /// Adds a waiter.
    ///
    /// - Complexity: O(log `count`).
    public mutating func insert(_ waiter: Waiter, priority: UInt8) -> ID {
        let id = reserve()
        insert(waiter, as: id, priority: priority)
        return id
    }

    /// Takes the waiter who runs next.
    ///
    /// - Complexity: O(log `count`).
    public mutating func popFirst() -> Waiter? { heap.first.flatMap { remove($0.id) } }

    /// Takes a waiter out of the queue, wherever it stands.
    ///
    /// - Returns: The waiter, or `nil` when it is not queued.
    /// - Complexity: O(log `count`).
    @discardableResult
    public mutating func remove(_ id: ID) -> Waiter? {
        guard let place = place(of: id) else { return nil }
        let waiter = rows[id.row].waiter.take()
        giveUp(id)
        let last = heap.removeLast()
        if place < heap.count {
            heap[place] = last
            rows[last.id.row].place = place
            siftUp(siftDown(place))
        }
        return waiter
    }

    /// Moves a waiter forward.
    ///
    /// A lower priority than the present one is ignored, as tasks do not lose priority either.
    ///
    /// - Complexity: O(log `count`).
    public mutating func raise(_ id: ID, to priority: UInt8) {
        guard let place = place(of: id), heap[place].priority < priority else { return }
        heap[place].priority = priority
        siftUp(place)
    }

    /// Takes everybody out, in no particular order.
    ///
    /// - Complexity: O(`count`).
    public mutating func removeAll() -> [Waiter] {
        defer { heap = [] }
        return heap.compactMap { entry in
            defer { giveUp(entry.id) }
            return rows[entry.id.row].waiter
        }
    }

    private func place(of id: ID) -> Int? {
        guard id.row < rows.count, rows[id.row].arrival == id.arrival else { return nil }
        return rows[id.row].place
    }
}

extension SlotQueue: Sendable where Waiter: Sendable {}

extension SlotQueue.Row: Sendable where Waiter: Sendable {}

// MARK: - The heap

extension SlotQueue {
    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        guard one.priority == other.priority else { return one.priority > other.priority }
        return order == .fifo ? one.id.arrival < other.id.arrival : one.id.arrival > other.id.arrival
    }

    private mutating func siftUp(_ start: Int) {
        var place = start
        while place > 0, precedes(heap[place], heap[(place - 1) / 2]) {
            exchange(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Returns where the entry came to rest.
    private mutating func siftDown(_ start: Int) -> Int {
        var place = start
        while true {
            var best = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if precedes(heap[child], heap[best]) { best = child }
            }
            guard best != place else { return place }
            exchange(place, best)
            place = best
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        rows[heap[one].id.row].place = one
        rows[heap[other].id.row].place = other
    }
}
