// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// The bytes of originals, in the same memory as the work on them.
extension JobQueue {
    /// The bytes of originals.
    var originalByteCount: Int { state.withLock { $0.originals } }

    /// The bytes of originals beyond which no further one is asked for.
    private var originalLimit: Int { byteLimit / 4 }

    /// Sets what is called when there may be room again.
    func onRoom(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = body } }

    /// Whether originals that work of this priority wants should not be asked for: enough work as urgent waits for a
    /// thread, or originals hold a quarter of the memory. When no transfer runs, only if both are so: then the work
    /// that waits gives memory back, and otherwise one more original may be what the others wait for.
    func hasEnoughOriginals(for priority: UInt8, whileTransfersRun: Bool) -> Bool {
        state.withLock { state in
            let isFull = state.originals >= originalLimit
            // Most often nothing waits, and this is asked for each download.
            let isBusy = !state.waiting.isEmpty && state.waiting.count(atLeast: priority) >= 2 * width
            let hasEnough = whileTransfersRun ? isFull || isBusy : isFull && isBusy
            if hasEnough { state.isRoomAwaited = true }
            return hasEnough
        }
    }

    /// Whether originals hold twice what they may.
    var isCrowded: Bool { state.withLock { $0.originals / 2 >= originalLimit } }

    /// Counts bytes of an original.
    ///
    /// - Returns: `false`, and counts nothing, when they must fit into what originals may hold, and do not.
    fileprivate func takeOriginal(_ byteCount: Int, mustFit: Bool) -> Bool {
        state.withLock { state in
            if mustFit, byteCount > originalLimit - state.originals {
                state.isRoomAwaited = true
                return false
            }
            state.originals += byteCount
            return true
        }
    }

    fileprivate func releaseOriginal(_ byteCount: Int) { change { $0.originals -= byteCount } }
}

/// The bytes of an original in memory. The last reference gives them back.
///
/// A share lives from the first byte until the last load of the original has ended. What caches, writes and callers
/// keep of the original counts in their own limits.
final class OriginalShare: Sendable {
    private let queue: JobQueue
    /// Changed by the transfer alone.
    private let taken: Atomic<Int>

    /// Counts bytes that are in memory already.
    init(_ queue: JobQueue, _ byteCount: Int = 0) {
        self.queue = queue
        taken = Atomic(byteCount)
        if byteCount > 0 { _ = queue.takeOriginal(byteCount, mustFit: false) }
    }

    var byteCount: Int { taken.load(ordering: .relaxed) }

    /// Takes bytes for more of the original.
    ///
    /// - Returns: `false` when they must fit into what originals may hold, and do not.
    func grow(by byteCount: Int, mustFit: Bool) -> Bool {
        guard queue.takeOriginal(byteCount, mustFit: mustFit) else { return false }
        taken.wrappingAdd(byteCount, ordering: .relaxed)
        return true
    }

    /// Takes what is missing, or gives back what is too much.
    func settle(at byteCount: Int) {
        let excess = taken.exchange(byteCount, ordering: .relaxed) - byteCount
        if excess > 0 { queue.releaseOriginal(excess) }
        if excess < 0 { _ = queue.takeOriginal(-excess, mustFit: false) }
    }

    deinit { if byteCount > 0 { queue.releaseOriginal(byteCount) } }
}
