/// Which bodies hold slots, which wait, and which is next: a queue for each lane, and lanes that take turns.
///
/// A lane is what waiters have in common, such as the host they ask. Lanes of equal priority take turns, so one with
/// thousands of waiters does not hold up the others. A lane that holds its share of the slots lets the other lanes go
/// first; when no other lane waits, it gets more.
///
/// A body takes one unit of the limit, or as many as it says. The next in turn waits until its units are free, and
/// nothing overtakes it meanwhile: what is large is not starved by what is small.
///
/// A pure value without tasks or locks. Places that are no longer queued are ignored by ``remove(_:)`` and
/// ``raise(_:to:)``, as in ``SlotQueue``.
struct SlotTable<Waiter> {
    struct Limits {
        /// Units that are held at once, at most.
        var units: Int
        /// Units of one lane beyond which other lanes go first.
        var share = Int.max
        /// Units that one lane holds at once, at most.
        var lane = Int.max
    }

    /// A waiter's place in the queue of its lane.
    struct Place {
        fileprivate let lane: String
        fileprivate let id: SlotQueue<Request>.ID
    }

    fileprivate struct Request {
        let waiter: Waiter
        let units: Int
        /// The round in which it came.
        let round: Int
    }

    fileprivate struct Lane {
        var queue: SlotQueue<Request>
        var held = 0
        /// Bodies that run on although they gave their slot away.
        var lent = 0
        /// Its place among the lanes that may go next.
        var turn: SlotQueue<String>.ID?

        var isUnused: Bool { held == 0 && lent == 0 && queue.isUnused }
    }

    private let limits: Limits
    private let order: SlotOrder
    private var lanes: [String: Lane] = [:]
    /// The lanes that wait and hold less than their share.
    private var turns: SlotQueue<String>
    /// The lanes that wait and hold their share, a handful: together they hold all the slots.
    private var full: [String] = []
    /// Where the names of a lane's waiters go on when it comes back, so that no name is given twice.
    private var arrivals: UInt64 = 0
    private var round = 0

    /// Units that are held.
    private(set) var held = 0
    /// Bodies that run on although they gave their slot away.
    private(set) var lent = 0
    /// How many waiters are queued.
    private(set) var count = 0

    init(limits: Limits, order: SlotOrder = .fifo) {
        self.limits = limits
        self.order = order
        turns = SlotQueue(order: order)
    }

    /// Whether nothing is held, lent, queued or reserved.
    var isUnused: Bool { lanes.isEmpty && turns.isUnused && full.isEmpty && held + lent + count == 0 }
}

extension SlotTable: Sendable where Waiter: Sendable {}
extension SlotTable.Request: Sendable where Waiter: Sendable {}
extension SlotTable.Lane: Sendable where Waiter: Sendable {}

// MARK: - Taking and giving back

extension SlotTable {
    /// Takes units that are free and for which nothing waits that may have them.
    ///
    /// - Returns: Whether they were taken.
    mutating func take(_ units: Int, in lane: String) -> Bool {
        guard units <= limits.units - held, turns.isEmpty, mayPass(lane) else { return false }
        lanes.values[index(of: lane)].held += units
        held += units
        return true
    }

    private func mayPass(_ lane: String) -> Bool {
        guard let lane = lanes[lane] else { return true }
        return lane.queue.isEmpty && lane.held < limits.lane
    }

    /// Gives units back. ``next()`` must follow.
    mutating func release(_ units: Int, in lane: String) {
        guard let index = lanes.index(forKey: lane) else { return }
        if lanes.values[index].lent > 0 {
            lanes.values[index].lent -= 1
            lent -= 1
        } else {
            lanes.values[index].held -= units
            held -= units
        }
        settle(lane, at: index)
    }

    /// Gives units to the next in turn, if they are free.
    mutating func next() -> Waiter? {
        while let (lane, priority) = turns.first {
            let index = lanes.index(forKey: lane)!
            let (request, own) = lanes.values[index].queue.first!
            guard own == priority else {
                // Its most urgent waiter has left.
                leaveTurn(at: index)
                settle(lane, at: index)
                continue
            }
            return request.units <= limits.units - held ? serve(lane, at: index) : nil
        }
        let waiting = full.map { ($0, lanes.index(forKey: $0)!) }.filter { lanes.values[$0.1].held < limits.lane }
        var best: (lane: String, index: Dictionary<String, Lane>.Index, priority: UInt8)?
        for (lane, index) in waiting {
            let (request, priority) = lanes.values[index].queue.first!
            guard request.units <= limits.units - held, best.map({ $0.priority < priority }) ?? true else { continue }
            best = (lane, index, priority)
        }
        return best.map { serve($0.lane, at: $0.index) }
    }

    private mutating func serve(_ lane: String, at index: Dictionary<String, Lane>.Index) -> Waiter {
        let request = lanes.values[index].queue.popFirst()!
        count -= 1
        lanes.values[index].held += request.units
        held += request.units
        // The lane goes to the end of the line.
        leaveTurn(at: index)
        settle(lane, at: index)
        return request.waiter
    }
}

// MARK: - Waiting

extension SlotTable {
    /// Names a waiter who is not queued yet; ``insert(_:at:units:priority:)`` or ``giveUp(_:)`` must follow.
    mutating func reserve(in lane: String) -> Place {
        let index = self.index(of: lane)
        return Place(lane: lane, id: lanes.values[index].queue.reserve())
    }

    mutating func giveUp(_ place: Place) {
        let index = lanes.index(forKey: place.lane)!
        lanes.values[index].queue.giveUp(place.id)
        settle(place.lane, at: index)
    }

    mutating func insert(_ waiter: Waiter, at place: Place, units: Int, priority: UInt8) {
        let index = lanes.index(forKey: place.lane)!
        let request = Request(waiter: waiter, units: min(units, limits.units), round: round)
        lanes.values[index].queue.insert(request, as: place.id, priority: priority)
        count += 1
        // The last to come is the first to go, and its lane with it.
        if order == .lifo { leaveTurn(at: index) }
        settle(place.lane, at: index)
    }

    /// - Returns: The waiter; `nil` when it is not queued.
    mutating func remove(_ place: Place) -> Waiter? {
        guard let index = lanes.index(forKey: place.lane),
            let request = lanes.values[index].queue.remove(place.id)
        else { return nil }
        count -= 1
        settle(place.lane, at: index)
        return request.waiter
    }

    mutating func raise(_ place: Place, to priority: UInt8) {
        guard let index = lanes.index(forKey: place.lane) else { return }
        lanes.values[index].queue.raise(place.id, to: priority)
        settle(place.lane, at: index)
    }

    /// - Returns: Every waiter, in no particular order.
    mutating func removeAll() -> [Waiter] { removeAll { _ in true } }

    private mutating func removeAll(where isGone: (Request) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        for lane in Array(lanes.keys) {
            let index = lanes.index(forKey: lane)!
            removed += lanes.values[index].queue.removeAll(where: isGone).map(\.waiter)
            settle(lane, at: index)
        }
        count -= removed.count
        return removed
    }
}

// MARK: - Rounds

extension SlotTable {
    /// Lets a lane that has waited for a whole round have a slot of one that holds more than its share, or whose bodies
    /// make no progress. These run on without their slots; at most as many as there are slots.
    ///
    /// - Parameters:
    ///   - stalled: How many bodies of a lane have made no progress since the last round.
    ///   - patience: Rounds after which a waiter is turned away.
    /// - Returns: The waiters that have slots now, and those that were turned away.
    mutating func nextRound(stalled: [String: Int], patience: Int) -> (served: [Waiter], expired: [Waiter]) {
        round += 1
        let oldest = round - patience
        let expired = removeAll { $0.round <= oldest }
        var served: [Waiter] = []
        while let (lane, _) = turns.first, let index = lanes.index(forKey: lane),
            let first = lanes.values[index].queue.first?.waiter, first.round < round - 1,
            lent < limits.units, let donor = donor(for: lane, stalled), let donorIndex = lanes.index(forKey: donor)
        {
            lanes.values[donorIndex].held -= 1
            lanes.values[donorIndex].lent += 1
            (held, lent) = (held - 1, lent + 1)
            settle(donor, at: donorIndex)
            guard let waiter = next() else { break }
            served.append(waiter)
        }
        return (served, expired)
    }

    private func donor(for waiting: String, _ stalled: [String: Int]) -> String? {
        let others = lanes.filter { $0.key != waiting && $0.value.held > 0 }
        let largest = others.max { ($0.value.held, $1.key) < ($1.value.held, $0.key) }
        if let largest, largest.value.held > limits.share { return largest.key }
        return others.filter { stalled[$0.key, default: 0] > $0.value.lent }.keys.min()
    }
}

// MARK: - Turns

extension SlotTable {
    private mutating func index(of lane: String) -> Dictionary<String, Lane>.Index {
        if let index = lanes.index(forKey: lane) { return index }
        lanes[lane] = Lane(queue: SlotQueue(order: order, arrivals: arrivals))
        return lanes.index(forKey: lane)!
    }

    /// Puts a lane where it belongs after a change: among those that may go next, those that hold their share, or
    /// nowhere.
    private mutating func settle(_ lane: String, at index: Dictionary<String, Lane>.Index) {
        let first = lanes.values[index].queue.first
        guard let first, lanes.values[index].held < min(limits.share, limits.lane) else {
            leaveTurn(at: index)
            if first == nil { full.removeAll { $0 == lane } } else if !full.contains(lane) { full.append(lane) }
            if lanes.values[index].isUnused {
                arrivals = max(arrivals, lanes.values[index].queue.arrivals)
                lanes.remove(at: index)
            }
            return
        }
        if let turn = lanes.values[index].turn { return turns.raise(turn, to: first.priority) }
        full.removeAll { $0 == lane }
        lanes.values[index].turn = turns.insert(lane, priority: first.priority)
    }

    private mutating func leaveTurn(at index: Dictionary<String, Lane>.Index) {
        guard let turn = lanes.values[index].turn.take() else { return }
        turns.remove(turn)
    }
}
