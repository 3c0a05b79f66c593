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
/// not, or no longer, queued are ignored by ``remove(_:)`` and ``raise(_:to:)``: a cancellation or an escalation may
/// always come too late.
///
/// Priorities are the raw values of `TaskPriority`, all 256 of them; a greater one runs first.
public struct SlotQueue<Waiter> {
    fileprivate struct Entry {
        let id: UInt64
        let arrival: UInt64
        var priority: UInt8
        let waiter: Waiter
    }

    private let order: SlotOrder
    private var heap: [Entry] = []
    private var places: [UInt64: Int] = [:]
    private var arrivals: UInt64 = 0

    /// Creates an empty queue.
    public init(order: SlotOrder = .fifo) {
        self.order = order
    }

    /// How many waiters are queued.
    public var count: Int { heap.count }

    /// Whether nobody waits.
    public var isEmpty: Bool { heap.isEmpty }

    /// Adds a waiter.
    ///
    /// - Precondition: `id` is not queued.
    /// - Complexity: O(log `count`).
    public mutating func insert(_ waiter: Waiter, id: UInt64, priority: UInt8) {
        precondition(places[id] == nil, "the identifier is queued already")
        arrivals += 1
        heap.append(Entry(id: id, arrival: arrivals, priority: priority, waiter: waiter))
        places[id] = heap.count - 1
        siftUp(heap.count - 1)
    }

    /// Takes the waiter who runs next.
    ///
    /// - Complexity: O(log `count`).
    public mutating func popFirst() -> (id: UInt64, waiter: Waiter)? {
        guard let id = heap.first?.id, let waiter = remove(id) else { return nil }
        return (id, waiter)
    }

    /// Takes a waiter out of the queue, wherever it stands.
    ///
    /// - Returns: The waiter, or `nil` when it is not queued.
    /// - Complexity: O(log `count`).
    @discardableResult
    public mutating func remove(_ id: UInt64) -> Waiter? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        let last = heap.removeLast()
        guard place < heap.count else { return last.waiter }
        let removed = heap[place]
        heap[place] = last
        places[last.id] = place
        siftUp(siftDown(place))
        return removed.waiter
    }

    /// Moves a waiter forward.
    ///
    /// A lower priority than the present one is ignored, as tasks do not lose priority either.
    ///
    /// - Complexity: O(log `count`).
    public mutating func raise(_ id: UInt64, to priority: UInt8) {
        guard let place = places[id], heap[place].priority < priority else { return }
        heap[place].priority = priority
        siftUp(place)
    }

    /// Takes everybody out, in no particular order.
    ///
    /// - Complexity: O(`count`).
    public mutating func removeAll() -> [Waiter] {
        defer {
            heap = []
            places = [:]
        }
        return heap.map(\.waiter)
    }
}

extension SlotQueue: Sendable where Waiter: Sendable {}

extension SlotQueue.Entry: Sendable where Waiter: Sendable {}

// MARK: - The heap

extension SlotQueue {
    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        guard one.priority == other.priority else { return one.priority > other.priority }
        return order == .fifo ? one.arrival < other.arrival : one.arrival > other.arrival
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
        places[heap[one].id] = one
        places[heap[other].id] = other
    }
}
