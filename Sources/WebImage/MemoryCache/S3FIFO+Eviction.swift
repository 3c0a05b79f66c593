// SPDX-License-Identifier: MIT
import TaskCoordination

extension S3FIFO {
    /// Changes the limits. The caller then evicts entries until they are met.
    mutating func setLimits(cost: Int, count: Int) {
        maximumCost = max(1, cost)
        maximumCount = min(max(1, count), Int(Int32.max))
    }

    /// Evicts an entry, or promotes entries in use that are before it in the queue.
    ///
    /// - Complexity: O(1) amortised: every promotion and every second chance follows a hit.
    mutating func evictOne(retired: inout [Value]) {
        if main.count == 0 || isSmallOverShare {
            evictFromSmall(retired: &retired)
        } else {
            evictFromMain(retired: &retired)
        }
    }

    /// Whether the small queue has more than its share, a twentieth of either limit.
    private var isSmallOverShare: Bool {
        small.count > 0 && (small.cost > maximumCost / 20 || small.count > maximumCount / 20)
    }

    private mutating func evictFromSmall(retired: inout [Value]) {
        while small.count > 0 {
            let number = small.oldest
            unlink(number)
            guard slots[Int(number)].hits > 0 else { return evict(number, &retired) }
            slots[Int(number)].hits = 0
            link(number, into: .main)
            guard isSmallOverShare else { return }
        }
    }

    private mutating func evictFromMain(retired: inout [Value]) {
        while main.count > 0 {
            let number = main.oldest
            unlink(number)
            guard slots[Int(number)].hits > 0 else { return evict(number, &retired) }
            slots[Int(number)].hits -= 1
            link(number, into: .main)
        }
    }

    /// Whether a large entry that is requested again may take the place of entries of main.
    ///
    /// Up to half of the limit it may. A larger one takes at most an eighth of the limit with each request, and nothing
    /// that was used since the request before: asking twice for one picture must not empty the cache.
    ///
    /// - Complexity: O(1) up to half of the limit, O(length of main) above.
    mutating func mayReplaceMain(_ cost: Int, _ retired: inout [Value]) -> Bool {
        guard cost > maximumCost / 2 else { return true }
        let end = max(maximumCost - cost, main.cost - newcomerCostLimit)
        for _ in 0..<main.count where main.cost > end {
            let number = main.oldest
            unlink(number)
            if slots[Int(number)].hits > 0 {
                slots[Int(number)].hits -= 1
                link(number, into: .main)
            } else {
                evict(number, &retired)
            }
        }
        return main.cost <= maximumCost - cost
    }

    /// Empties an unlinked slot, and remembers its key.
    private mutating func evict(_ number: Int32, _ retired: inout [Value]) {
        if let key = slots[Int(number)].key { remember(key) }
        if let value = vacate(number) { retired.append(value) }
        evictionCount &+= 1
    }

    /// Remembers the hash of a key that leaves. There are at most twice as many hashes as entries.
    mutating func remember(_ key: Key) {
        ghosts.remember(key.hashValue, atMost: max(2 * count, 16))
    }

    // MARK: - Chains of slots

    /// A chain by its name, because two chains and the slots cannot be passed `inout` together.
    private subscript(queue: Queue) -> Chain {
        get { queue == .main ? main : small }
        _modify { if queue == .main { yield &main } else { yield &small } }
    }

    mutating func link(_ number: Int32, into queue: Queue) {
        let newest = self[queue].newest
        slots[Int(number)].queue = queue
        slots[Int(number)].newer = -1
        slots[Int(number)].older = newest
        if newest >= 0 { slots[Int(newest)].newer = number } else { self[queue].oldest = number }
        self[queue].newest = number
        self[queue].cost += slots[Int(number)].cost
        self[queue].count += 1
    }

    mutating func unlink(_ number: Int32) {
        let (queue, newer, older) = (slots[Int(number)].queue, slots[Int(number)].newer, slots[Int(number)].older)
        if newer >= 0 { slots[Int(newer)].older = older } else { self[queue].newest = older }
        if older >= 0 { slots[Int(older)].newer = newer } else { self[queue].oldest = newer }
        self[queue].cost -= slots[Int(number)].cost
        self[queue].count -= 1
    }

    mutating func takeSlot() -> Int32 {
        if let number = unused.popLast() { return number }
        slots.append(Slot())
        return Int32(slots.count - 1)
    }

    /// Empties an unlinked slot and returns its value.
    mutating func vacate(_ number: Int32) -> Value? {
        let value = slots[Int(number)].value
        if let key = slots[Int(number)].key {
            slotNumbers[key] = nil
            noteRetired(key)
        }
        slots[Int(number)] = Slot()
        unused.append(number)
        return value
    }
}

/// The hashes of keys that left lately, oldest forgotten first.
///
/// Two keys with one hash count as one: the worst effect is that an entry enters the main queue too early.
struct GhostQueue {
    /// The turn at which each hash was last remembered.
    private var turns: [Int: Int] = [:]
    /// Hashes in order of their turn. A hash that was forgotten or remembered again keeps its place until the place is
    /// reached.
    private var line = HeadQueue<(hash: Int, turn: Int)>()
    private var turn = 0

    /// The bytes of a hash: a place in the table, and one in the line, each of which has some room for more.
    static let overhead = (MemoryLayout<Int>.stride * 2 + MemoryLayout<(hash: Int, turn: Int)?>.stride) * 2

    /// The number of hashes remembered.
    var count: Int { turns.count }

    /// The number of places in the line, including those of forgotten hashes. For tests.
    var placeCount: Int { line.placeCount }

    /// Remembers `hash`, and forgets the oldest beyond `limit`.
    ///
    /// - Complexity: O(1) amortised.
    mutating func remember(_ hash: Int, atMost limit: Int) {
        turn &+= 1
        turns[hash] = turn
        line.append((hash, turn))
        while line.count > limit, let oldest = line.popFirst() {
            if turns[oldest.hash] == oldest.turn { turns[oldest.hash] = nil }
        }
    }

    /// Forgets `hash`; returns whether it was remembered.
    ///
    /// - Complexity: O(1).
    mutating func forget(_ hash: Int) -> Bool { turns.removeValue(forKey: hash) != nil }
}
