// SPDX-License-Identifier: MIT
/// What slots allow. The owner may change it while bodies run.
package struct SlotSettings: Sendable {
    /// Slots that are held at once, at most.
    package let limit: Int
    /// Slots of one lane beyond which other lanes go first.
    package let share: Int
    /// Slots that one lane holds at once, at most.
    package let lane: Int
    /// Which goes first among waiters, or lanes, of the same priority.
    package var order: SlotOrder
    /// Whether nothing is given to waiters, nor taken, and waiters do not lose their patience. Bodies that hold slots
    /// go on.
    package var isSuspended: Bool

    /// Limits below 1 count as 1.
    package init(
        limit: Int, share: Int = .max, lane: Int = .max, order: SlotOrder = .fifo, isSuspended: Bool = false
    ) {
        (self.limit, self.share, self.lane) = (max(1, limit), max(1, share), max(1, lane))
        (self.order, self.isSuspended) = (order, isSuspended)
    }
}

/// Which bodies hold slots, which wait, and which is next: a queue for each lane, and lanes that take turns.
///
/// A lane is what waiters have in common, such as the host they ask. Lanes of equal priority take turns, so one with
/// thousands of waiters does not hold up the others. A lane that holds its share of the slots lets other lanes go first
/// whose waiters are as urgent; when no such lane waits, it gets more.
///
/// A pure value without tasks or locks. Places that are no longer queued are ignored by ``remove(_:)`` and
/// ``raise(_:to:)``, as in ``SlotQueue``.
struct SlotTable<Waiter> {
    /// A waiter that was given a slot, and the number of its lane.
    typealias Grant = (waiter: Waiter, lane: Int)

    /// A waiter's place in the queue of its lane. Its number is never given to another waiter, the lane's is.
    struct Place {
        fileprivate let lane: Int
        fileprivate let number: Int
    }

    struct Request {
        let waiter: Waiter
        /// The round in which it came.
        let round: Int
    }

    struct Lane {
        let name: String
        var queue: SlotQueue<Request>
        var held = 0
        /// Bodies that run on although they gave their slot away.
        var lent = 0
        /// Its number among the lanes that may go next.
        var turn: Int?
        /// Whether it is among the lanes that wait and hold their share.
        var isFull = false

        var isUnused: Bool { held == 0 && lent == 0 && queue.isEmpty }
    }

    /// Whether waiters of a priority are held back while so many bodies run, though slots are free.
    typealias HoldingBack = @Sendable (_ priority: UInt8, _ running: Int) -> Bool

    private(set) var settings: SlotSettings
    private let holdsBack: HoldingBack?
    /// By their numbers, which are used again. The first is that of waiters without a lane's name, and stays.
    var lanes: [Lane]
    private var freeNumbers: [Int] = []
    private var numbers: [String: Int] = [:]
    /// The lanes that wait and hold less than their share.
    var turns: SlotQueue<Int>
    /// The lanes that wait and hold their share, a handful: together they hold all the slots.
    private var full: [Int] = []
    /// The number that a waiter, or a turn, was given last.
    private var lastNumber = 0
    var round = 0

    /// Slots that are held.
    var held = 0
    /// Bodies that run on although they gave their slot away.
    var lent = 0
    /// How many waiters are queued.
    private(set) var count = 0

    init(_ settings: SlotSettings, holdsBack: HoldingBack? = nil) {
        self.settings = settings
        self.holdsBack = holdsBack
        turns = SlotQueue(order: settings.order)
        lanes = [Lane(name: "", queue: SlotQueue(order: settings.order))]
    }

    /// Bodies that hold more than a lower limit go on; the next wait for them. ``next()`` must follow.
    mutating func change(_ settings: SlotSettings) {
        self.settings = settings
        turns.order = settings.order
        for lane in lanes.indices {
            lanes[lane].queue.order = settings.order
            settle(lane)
        }
    }

    /// How many lanes there is room for, those without a name among them. For tests.
    var laneCount: Int { lanes.count }

    /// How many entries there are, of any kind: slots held and lent, waiters, lanes, turns.
    ///
    /// For tests: 0 when nothing goes on.
    var entryCount: Int {
        let queued = lanes.reduce(0) { $0 + $1.queue.count }
        return held + lent + queued + numbers.count + turns.count + full.count
    }
}

extension SlotTable: Sendable where Waiter: Sendable {}
extension SlotTable.Request: Sendable where Waiter: Sendable {}
extension SlotTable.Lane: Sendable where Waiter: Sendable {}

// MARK: - Taking and giving back

extension SlotTable {
    /// Takes a slot that is free and for which nothing waits that may have it.
    ///
    /// - Returns: The number of the lane that has it now; `nil` when it was not taken.
    mutating func take(in lane: String, priority: UInt8 = .max) -> Int? {
        guard held < settings.limit, turns.isEmpty, !isHeldBack(priority) else { return nil }
        let number = number(of: lane)
        guard lanes[number].queue.isEmpty, lanes[number].held < settings.lane else { return nil }
        lanes[number].held += 1
        held += 1
        return number
    }

    /// Gives a slot back. ``next()`` must follow.
    ///
    /// - Parameter lane: The number of the lane that has it.
    mutating func release(in lane: Int) {
        if lanes[lane].lent > 0 {
            lanes[lane].lent -= 1
            lent -= 1
        } else {
            lanes[lane].held -= 1
            held -= 1
        }
        settle(lane)
    }

    /// Whether waiters of this priority, and less urgent ones, get nothing now.
    func isHeldBack(_ priority: UInt8?) -> Bool {
        settings.isSuspended || priority.flatMap { holdsBack?($0, held + lent) } == true
    }

    /// Gives a slot to the next in turn, if one is free.
    mutating func next() -> Grant? {
        guard !settings.isSuspended, count > 0, held < settings.limit else { return nil }
        while let lane = turns.first, lanes[lane].queue.firstPriority != turns.firstPriority {
            // Its most urgent waiter has left.
            leaveTurn(lane)
            settle(lane)
        }
        var (best, priority) = (turns.first, turns.firstPriority.map { Int($0) } ?? -1)
        // A lane that holds its share goes last among equals.
        for lane in full where lanes[lane].held < settings.lane {
            let own = Int(lanes[lane].queue.firstPriority ?? 0)
            if own > priority { (best, priority) = (lane, own) }
        }
        guard let best, !isHeldBack(lanes[best].queue.firstPriority) else { return nil }
        return serve(best)
    }

    mutating func serve(_ lane: Int) -> Grant {
        let request = lanes[lane].queue.popFirst()!
        count -= 1
        lanes[lane].held += 1
        held += 1
        // The lane goes to the end of the line.
        leaveTurn(lane)
        settle(lane)
        return (request.waiter, lane)
    }
}

// MARK: - Waiting

extension SlotTable {
    /// Adds a waiter. ``next()`` must follow, unless ``take(in:priority:)`` has just refused a slot.
    mutating func insert(_ waiter: Waiter, in lane: String, priority: UInt8) -> Place {
        let place = Place(lane: number(of: lane), number: nextNumber())
        let request = Request(waiter: waiter, round: round)
        lanes[place.lane].queue.insert(request, number: place.number, priority: priority)
        count += 1
        // The last to come is the first to go, and its lane with it.
        if settings.order == .lifo { leaveTurn(place.lane) }
        settle(place.lane)
        return place
    }

    /// - Returns: The waiter; `nil` when it is not queued.
    mutating func remove(_ place: Place) -> Waiter? {
        guard let request = lanes[place.lane].queue.remove(place.number) else { return nil }
        count -= 1
        settle(place.lane)
        return request.waiter
    }

    mutating func raise(_ place: Place, to priority: UInt8) {
        lanes[place.lane].queue.raise(place.number, to: priority)
        settle(place.lane)
    }

    /// ``next()`` must follow.
    mutating func move(_ place: Place, to priority: UInt8) {
        lanes[place.lane].queue.move(place.number, to: priority)
        settle(place.lane)
    }

    /// - Returns: The waiters taken out, in no particular order.
    mutating func removeAll(where isGone: (Request) -> Bool = { _ in true }) -> [Waiter] {
        var removed: [Waiter] = []
        for lane in lanes.indices {
            removed += lanes[lane].queue.removeAll(where: isGone).map(\.waiter)
            settle(lane)
        }
        count -= removed.count
        return removed
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

// MARK: - Turns

extension SlotTable {
    private mutating func number(of lane: String) -> Int {
        if lane.isEmpty { return 0 }
        if let number = numbers[lane] { return number }
        let new = Lane(name: lane, queue: SlotQueue(order: settings.order))
        let number = freeNumbers.popLast() ?? lanes.count
        if number < lanes.count { lanes[number] = new } else { lanes.append(new) }
        numbers[lane] = number
        return number
    }

    /// Puts a lane where it belongs after a change: among those that may go next, those that hold their share, or
    /// nowhere.
    mutating func settle(_ lane: Int) {
        let priority = lanes[lane].queue.firstPriority
        let mayGo = lanes[lane].held < min(settings.share, settings.lane)
        if let priority, mayGo, let turn = lanes[lane].turn { return turns.raise(turn, to: priority) }
        leaveTurn(lane)
        let isFull = priority != nil && !mayGo
        if isFull != lanes[lane].isFull {
            lanes[lane].isFull = isFull
            if isFull { full.append(lane) } else { full.removeAll { $0 == lane } }
        }
        if let priority {
            if mayGo { enterTurn(lane, priority) }
        } else if lanes[lane].isUnused {
            forget(lane)
        }
    }

    private mutating func enterTurn(_ lane: Int, _ priority: UInt8) {
        let turn = nextNumber()
        turns.insert(lane, number: turn, priority: priority)
        lanes[lane].turn = turn
    }

    private mutating func leaveTurn(_ lane: Int) {
        guard let turn = lanes[lane].turn.take() else { return }
        turns.remove(turn)
    }

    /// The number may be used again.
    private mutating func forget(_ lane: Int) {
        guard numbers[lanes[lane].name] == lane else { return }
        numbers[lanes[lane].name] = nil
        lanes[lane] = Lane(name: "", queue: SlotQueue(order: settings.order))
        freeNumbers.append(lane)
    }
}
