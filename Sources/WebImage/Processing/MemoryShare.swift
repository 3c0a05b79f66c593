import Synchronization
import TaskCoordination

/// Bytes of a budget. They are given back with the last reference.
///
/// A share lives as long as the pixels that it stands for are in the hands of the manager: from before they are made until
/// the callers have them.
final class MemoryShare: Sendable {
    private let budget: Slots
    private let byteCount: Atomic<Int>

    /// Stands for units that have been taken.
    init(_ budget: Slots, taken byteCount: Int) {
        self.budget = budget
        self.byteCount = Atomic(byteCount)
    }

    /// Gives back what the work needed beyond its result.
    func shrink(to rest: Int) {
        let before = byteCount.load(ordering: .relaxed)
        guard rest < before, byteCount.compareExchange(expected: before, desired: rest, ordering: .relaxed).exchanged
        else { return }
        budget.release(before - rest)
    }

    deinit { budget.release(byteCount.load(ordering: .relaxed)) }
}
