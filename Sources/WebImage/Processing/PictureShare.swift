// SPDX-License-Identifier: MIT
import Locks

/// The bytes of a picture that is made. The last reference gives them back.
///
/// A share lives as long as the manager holds the pixels: from when they are made until the callers have them.
final class PictureShare: Sendable {
    private let queue: JobQueue
    private let byteCount: Int

    /// Creates a share of bytes that are counted.
    init(_ queue: JobQueue, _ byteCount: Int) { (self.queue, self.byteCount) = (queue, byteCount) }

    deinit { queue.change { $0.pictures -= byteCount } }
}

/// The bytes of pictures, in the same memory as the work on them.
extension JobQueue {
    /// Counts a picture that is made. It may exceed the limit.
    func share(of byteCount: Int) -> PictureShare {
        state.withLock { $0.pictures += byteCount }
        return PictureShare(self, byteCount)
    }

    /// Counts a picture, if all that is held stays within a part of the limit.
    func share(of byteCount: Int, within part: Int) -> PictureShare? {
        share(of: byteCount) { byteCount <= part - $0.held }
    }

    /// Counts a picture that is kept for work to come, if pictures take no more than a quarter of the limit.
    func shareKept(_ byteCount: Int) -> PictureShare? {
        share(of: byteCount) { byteCount <= byteLimit / 4 - $0.pictures }
    }

    private func share(of byteCount: Int, if fits: (State) -> Bool) -> PictureShare? {
        let isTaken = state.withLock { state in
            guard fits(state) else { return false }
            state.pictures += byteCount
            return true
        }
        return isTaken ? PictureShare(self, byteCount) : nil
    }
}
