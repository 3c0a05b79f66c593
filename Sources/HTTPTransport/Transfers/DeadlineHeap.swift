// SPDX-License-Identifier: MIT
/// An object with a deadline.
///
/// Only the heap sets `position`.
protocol DeadlineHolding: AnyObject {
    var wakeTime: UInt64 { get }
    var heapPosition: Int? { get set }
}

/// The holders of deadlines, the earliest first. Each stores its position, so removal needs no search.
/// - Complexity: O(log *n*) for every change, O(1) to read.
struct DeadlineHeap<Holder: DeadlineHolding> {
    private var holders: [Holder] = []

    /// The number of holders.
    var count: Int { holders.count }

    /// The holder with the earliest time.
    var first: Holder? { holders.first }

    /// Adds a holder, or moves it after its time has changed.
    mutating func update(_ holder: Holder) {
        let position = holder.heapPosition ?? holders.count
        if holder.heapPosition == nil {
            holders.append(holder)
            holder.heapPosition = position
        }
        siftDown(from: siftUp(from: position))
    }

    /// Removes a holder; does nothing when it is not in the heap.
    mutating func remove(_ holder: Holder) {
        guard let position = holder.heapPosition else { return }
        holder.heapPosition = nil
        let last = holders.removeLast()
        guard last !== holder else { return }
        place(last, at: position)
        siftDown(from: siftUp(from: position))
    }

    private mutating func place(_ holder: Holder, at position: Int) {
        holders[position] = holder
        holder.heapPosition = position
    }

    private mutating func siftUp(from start: Int) -> Int {
        var position = start
        let moving = holders[position]
        while position > 0 {
            let parent = (position - 1) / 2
            guard moving.wakeTime < holders[parent].wakeTime else { break }
            place(holders[parent], at: position)
            position = parent
        }
        place(moving, at: position)
        return position
    }

    private mutating func siftDown(from start: Int) {
        var position = start
        let moving = holders[position]
        while true {
            var child = 2 * position + 1
            guard child < holders.count else { break }
            if child + 1 < holders.count, holders[child + 1].wakeTime < holders[child].wakeTime { child += 1 }
            guard holders[child].wakeTime < moving.wakeTime else { break }
            place(holders[child], at: position)
            position = child
        }
        place(moving, at: position)
    }
}
