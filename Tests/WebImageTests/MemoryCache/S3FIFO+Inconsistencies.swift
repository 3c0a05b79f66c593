// SPDX-License-Identifier: MIT
@testable import WebImage

extension S3FIFO {
    /// The inconsistencies of the table: each entry must be in one chain, in both directions, and each slot must be
    /// used or free.
    var inconsistencies: [String] {
        var problems: [String] = []
        for (name, queue, chain) in [("small", Queue.small, small), ("main", .main, main)] {
            var (numbers, cost, newer, number) = ([Int32](), 0, Int32(-1), chain.newest)
            while number >= 0, numbers.count <= slots.count {
                let slot = slots[Int(number)]
                if slot.queue != queue || slot.newer != newer {
                    problems.append("\(name): slot \(number) is out of line")
                }
                if slot.key.flatMap({ slotNumbers[$0] }) != number { problems.append("\(name): key of slot \(number)") }
                cost += slot.cost
                numbers.append(number)
                (newer, number) = (number, slot.older)
            }
            if newer != chain.oldest { problems.append("\(name): the oldest") }
            if cost != chain.cost { problems.append("\(name): costs \(cost), not \(chain.cost)") }
            if numbers.count != chain.count { problems.append("\(name): has \(numbers.count), not \(chain.count)") }
        }
        if slotNumbers.count != count { problems.append("\(slotNumbers.count) keys of \(count)") }
        if unused.count + count != slots.count { problems.append("\(unused.count) unused of \(slots.count)") }
        if unused.contains(where: { slots[Int($0)].value != nil }) { problems.append("an unused slot holds a value") }
        return problems
    }
}

extension S3FIFO {
    /// The value of `key` in a table without deadlines.
    mutating func value(for key: Key) -> Value? {
        var retired: Value?
        return value(for: key, retired: &retired)
    }
}
