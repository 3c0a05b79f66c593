import Synchronization
import TaskCoordination

/// Bytes of a budget. The last reference gives them back.
///
/// A share lives as long as the manager holds its pixels: from before they are made until the callers have them.
final class MemoryShare: Sendable {
    private let budget: Slots
    private let permit: Mutex<Slots.Permit>

    /// Creates a share for units that have been taken.
    init(_ budget: Slots, _ permit: Slots.Permit) {
        self.budget = budget
        self.permit = Mutex(permit)
    }

    /// Gives back the bytes that the work needed beyond its result.
    func shrink(to rest: Int) {
        if let rest = permit.withLock({ $0.split(keeping: rest) }) { budget.release(rest) }
    }

    deinit { budget.release(permit.withLock { $0 }) }
}
