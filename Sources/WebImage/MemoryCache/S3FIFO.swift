// SPDX-License-Identifier: MIT
/// A bounded table that decides what stays by the S3-FIFO rule, with promotion after one hit.
///
/// New entries join a *small* queue that holds a twentieth of the cost. An entry that is read again before it reaches
/// the end of that queue moves to the *main* queue. Any other entry is evicted. The hash of an evicted entry, of either
/// queue, is remembered in a *ghost* queue. A key that is stored again while its hash is remembered goes straight to
/// main. So one pass over many pictures never evicts the ones in use, and a hit moves nothing: it increments a counter.
///
/// The paper has a small queue of a tenth, as many ghosts as entries, and forgets what leaves main. That loses against
/// LRU when popularity drifts, because what was popular stays in main too long. With these shares the hit ratio is
/// above LRU on that trace, too, and within 0.1 points of the paper's on the others; `cache-trials --only ratios` shows
/// it.
///
/// An entry may cost as much as the whole limit. One large new entry could then empty main. So an entry above an eighth
/// of the limit enters only when main leaves room for it, or when its hash is remembered. Above a half, being
/// remembered is not enough: each request takes at most an eighth of the limit from entries that are not in use, until
/// the entry fits.
///
/// A value without a lock. Evicted values are returned to the caller, which decides where they are released.
///
/// - Source: Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023, section 4.
struct S3FIFO<Key: Hashable, Value> {
    /// The place of a slot: unused, or in one of the two queues.
    enum Queue: UInt8 {
        case unused, small, main
    }

    /// One entry, linked to its neighbours in the queue by slot number; -1 ends a chain.
    struct Slot {
        var key: Key?
        var value: Value?
        var cost = 0
        /// From then on the entry is a miss; `nil` for never.
        var deadline: Duration?
        var newer: Int32 = -1
        var older: Int32 = -1
        var queue = Queue.unused
        var hits: UInt8 = 0
        /// Each use moves the deadline to so many seconds from then; 0 for never.
        var prolonging: Float = 0
    }

    /// The ends of a queue, its count and its cost.
    struct Chain {
        var newest: Int32 = -1
        var oldest: Int32 = -1
        var cost = 0
        var count = 0
    }

    /// Hits beyond this number are not counted.
    static var highestHitCount: UInt8 { 3 }

    var slotNumbers: [Key: Int32] = [:]
    var slots: [Slot] = []
    var unused: [Int32] = []
    var small = Chain()
    var main = Chain()
    var ghosts = GhostQueue()
    var maximumCost: Int
    var maximumCount: Int
    /// Whether the keys of slots that are emptied are noted.
    private let notesRetiredKeys: Bool
    private var retiredKeys: [Key] = []
    /// The age of entries that are stored without one.
    var age = CacheAge.never
    /// Whether an entry may have a deadline.
    private(set) var hasDeadlines = false
    /// The time by which deadlines pass. Read only for an entry that has one.
    let now: @Sendable () -> Duration

    var hitCount = 0
    var missCount = 0
    var evictionCount = 0

    /// Creates an empty table.
    ///
    /// Limits below 1 count as 1.
    init(
        maximumCost: Int, maximumCount: Int, notesRetiredKeys: Bool = false,
        now: @escaping @Sendable () -> Duration = { .zero }
    ) {
        self.now = now
        self.notesRetiredKeys = notesRetiredKeys
        self.maximumCost = max(1, maximumCost)
        self.maximumCount = min(max(1, maximumCount), Int(Int32.max))
    }

    /// The cost of everything held; never above `maximumCost`.
    var totalCost: Int { small.cost + main.cost }

    /// The number of entries held; never above `maximumCount`.
    var count: Int { small.count + main.count }

    /// The highest cost of a new entry that may evict entries from main.
    var newcomerCostLimit: Int { max(1, maximumCost / 8) }

    /// The value of `key`, counted as a use.
    ///
    /// - Parameter retired: Receives the value of an entry that is past its deadline. The entry is removed, and is a
    ///   miss.
    /// - Complexity: O(1); nothing is moved or allocated.
    mutating func value(for key: Key, retired: inout Value?) -> Value? {
        guard let number = slotNumbers[key] else {
            missCount &+= 1
            return nil
        }
        let position = Int(number)
        if let deadline = slots[position].deadline {
            let time = now()
            guard time < deadline else {
                missCount &+= 1
                retired = remove(key)
                return nil
            }
            let prolonging = slots[position].prolonging
            if prolonging > 0 { slots[position].deadline = time + .seconds(Double(prolonging)) }
        }
        hitCount &+= 1
        if slots[position].hits < Self.highestHitCount { slots[position].hits &+= 1 }
        return slots[position].value
    }

    /// Whether `key` is held and not past its deadline, without counting as a use.
    func contains(_ key: Key) -> Bool {
        guard let number = slotNumbers[key] else { return false }
        return slots[Int(number)].deadline.map { $0 > now() } ?? true
    }

    /// The value of `key`, without counting as a use.
    func peek(_ key: Key) -> Value? { slotNumbers[key].flatMap { slots[Int($0)].value } }

    /// Stores `value`, in place of an earlier value for `key`.
    ///
    /// - Parameters:
    ///   - age: When the entry ends; `nil` for as ``age`` says.
    ///   - keepsEnd: Whether it ends when the earlier value would have.
    ///   - retired: Receives the replaced value and the values evicted to make room.
    /// - Returns: `false` when `cost` is negative or above the limit, or the entry is large and new and main leaves no
    ///   room. Then nothing is held for `key`; the hash of a large new entry is remembered.
    /// - Complexity: O(1) amortised over the entries it evicts.
    mutating func store(
        _ value: Value, for key: Key, cost: Int, age: CacheAge? = nil, keepsEnd: Bool = false,
        retired: inout [Value]
    ) -> Bool {
        let replaced = slotNumbers[key].map { number in
            let slot = slots[Int(number)]
            return (slot.queue, slot.hits, end: (slot.deadline, slot.prolonging))
        }
        if replaced != nil, let old = remove(key) { retired.append(old) }
        guard (0...maximumCost).contains(cost) else { return false }
        let isKnown = (ghosts.count > 0 && ghosts.forget(key.hashValue)) || replaced?.0 == .main
        guard
            cost <= newcomerCostLimit || main.cost <= maximumCost - cost || (isKnown && mayReplaceMain(cost, &retired))
        else {
            remember(key)
            return false
        }
        while totalCost > maximumCost - cost || count >= maximumCount { evictOne(retired: &retired) }
        let number = takeSlot()
        let (deadline, prolonging) = keepsEnd ? replaced?.end ?? end(age) : end(age)
        if deadline != nil { hasDeadlines = true }
        slots[Int(number)] = Slot(
            key: key, value: value, cost: cost, deadline: deadline, hits: replaced?.1 ?? 0, prolonging: prolonging)
        slotNumbers[key] = number
        link(number, into: isKnown ? .main : .small)
        return true
    }

    /// The deadline of an entry that is stored now, and what a use adds to it.
    private func end(_ age: CacheAge?) -> (Duration?, Float) {
        let age = age ?? self.age
        // Durations trap on times that they cannot count; thirty years are long enough.
        guard let length = age.length.map({ min(max($0, .zero), .seconds(1_000_000_000)) }) else { return (nil, 0) }
        return (now() + length, age.isSliding ? Float(length / .seconds(1)) : 0)
    }

    /// Removes the entries among these slots that are past their deadline.
    ///
    /// - Complexity: O(number of slots).
    mutating func removeExpired(_ places: Range<Int>, retired: inout [Value]) {
        let time = now()
        for place in places.clamped(to: slots.indices) {
            guard let deadline = slots[place].deadline, deadline <= time, let key = slots[place].key,
                let value = remove(key)
            else { continue }
            retired.append(value)
        }
    }

    /// The keys noted since the last call.
    mutating func takeRetiredKeys() -> [Key] {
        guard !retiredKeys.isEmpty else { return [] }
        defer { retiredKeys = [] }
        return retiredKeys
    }

    /// Notes the key of a slot that is emptied.
    mutating func noteRetired(_ key: Key) { if notesRetiredKeys { retiredKeys.append(key) } }

    /// Removes `key` and returns its value.
    ///
    /// - Complexity: O(1).
    mutating func remove(_ key: Key) -> Value? {
        guard let number = slotNumbers[key] else { return nil }
        unlink(number)
        return vacate(number)
    }
}
