// SPDX-License-Identifier: MIT
/// Which waiter goes first among those of the same priority.
public enum SlotOrder: Sendable, Hashable {
    /// The one that came first.
    case fifo
    /// The one that came last.
    case lifo
}

/// Which waiter runs next: a line for each priority, in the order of arrival.
///
/// A pure value without tasks or locks, so that the whole policy can be tested as arithmetic. Numbers that are no
/// longer queued are ignored by ``remove(_:)`` and ``raise(_:to:)``: a cancellation or an escalation may always come
/// too late.
///
/// Priorities are the raw values of `TaskPriority`, all 256 of them; a greater one runs first.
package struct SlotQueue<Waiter> {
    /// The waiters of one priority.
    fileprivate struct Line {
        let priority: UInt8
        var waiters = ArrivalList<Waiter>()
    }

    /// May change while waiters are queued.
    var order: SlotOrder
    /// The most urgent first; as many as there have been priorities.
    private var lines: [Line] = []
    /// The line that each waiter stands in, by its number.
    private var priorities: [Int: UInt8] = [:]

    /// Creates an empty queue.
    package init(order: SlotOrder = .fifo) { self.order = order }

    /// How many waiters are queued.
    package var count: Int { priorities.count }

    /// Whether no waiter is queued.
    package var isEmpty: Bool { priorities.isEmpty }

    /// How many waiters are queued that are at least as urgent.
    package func count(atLeast priority: UInt8) -> Int {
        lines.reduce(0) { $1.priority >= priority ? $0 + $1.waiters.count : $0 }
    }

    /// How many places there are, gaps among them. For tests.
    package var placeCount: Int { lines.reduce(0) { $0 + $1.waiters.entries.count } }

    /// The priority of the waiter that runs next.
    ///
    /// - Complexity: O(1): a look at each priority that there has been.
    package var firstPriority: UInt8? { lines.first { !$0.waiters.isEmpty }?.priority }

    /// The waiter that runs next.
    ///
    /// - Complexity: O(1), amortised.
    package var first: Waiter? {
        mutating get { next?.element }
    }

    private var next: (number: Int, element: Waiter)? {
        mutating get {
            guard let index = lines.firstIndex(where: { !$0.waiters.isEmpty }) else { return nil }
            return order == .fifo ? lines[index].waiters.first : lines[index].waiters.last
        }
    }

    /// Adds a waiter, at the place by arrival that its number gives it.
    ///
    /// - Parameter number: Given once, by the caller.
    /// - Complexity: O(1), amortised, for the latest number; a shift of those behind it for another one.
    package mutating func insert(_ waiter: Waiter, number: Int, priority: UInt8) {
        priorities[number] = priority
        let index = lines.firstIndex { $0.priority <= priority } ?? lines.count
        if index == lines.count || lines[index].priority < priority {
            lines.insert(Line(priority: priority), at: index)
        }
        lines[index].waiters.insert(waiter, number: number)
    }

    /// Takes the waiter that runs next.
    ///
    /// - Complexity: O(log n), amortised.
    package mutating func popFirst() -> Waiter? { next.flatMap { remove($0.number) } }

    /// Takes a waiter out of the queue, wherever it stands.
    ///
    /// - Returns: The waiter, or `nil` when it is not queued.
    /// - Complexity: O(log n), amortised.
    @discardableResult
    package mutating func remove(_ number: Int) -> Waiter? {
        guard let priority = priorities.removeValue(forKey: number),
            let index = lines.firstIndex(where: { $0.priority == priority })
        else { return nil }
        return lines[index].waiters.remove(number)
    }

    /// Moves a waiter forward, to its place by arrival among those of the new priority.
    ///
    /// A lower priority than the present one is ignored, as tasks do not lose priority either.
    ///
    /// - Complexity: O(log n) and a shift of those behind it, of n with the new priority.
    package mutating func raise(_ number: Int, to priority: UInt8) {
        if let present = priorities[number], present < priority { move(number, to: priority) }
    }

    /// Moves a waiter forward or back, to its place by arrival among those of the new priority.
    ///
    /// - Complexity: As for ``raise(_:to:)``.
    mutating func move(_ number: Int, to priority: UInt8) {
        guard priorities[number] != priority, let waiter = remove(number) else { return }
        insert(waiter, number: number, priority: priority)
    }

    /// Takes out the waiters for which `isGone` says so, in no particular order.
    ///
    /// - Complexity: O(n log n) for n waiters.
    package mutating func removeAll(where isGone: (Waiter) -> Bool = { _ in true }) -> [Waiter] {
        let gone = lines.flatMap { line in line.waiters.entries.filter { $0.element.map(isGone) ?? false } }
        return gone.compactMap { remove($0.number) }
    }
}

extension SlotQueue: Sendable where Waiter: Sendable {}
extension SlotQueue.Line: Sendable where Waiter: Sendable {}
