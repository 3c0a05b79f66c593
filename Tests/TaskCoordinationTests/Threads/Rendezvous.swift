// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// Lets two threads run into each other: one says that it has come, the other goes on a moment later.
final class Rendezvous: Sendable {
    private let hasCome = Atomic(false)

    func arrive() { hasCome.store(true, ordering: .releasing) }

    /// Goes on when the other one has come, and the delay, in turns of an empty loop, is over.
    ///
    /// Waits on the processor, because a suspension takes longer than the race lasts; yields now and then, because the
    /// other one may need the thread.
    func meet(delay: Int = 0) async {
        var turns = 0
        while !hasCome.load(ordering: .acquiring) {
            turns += 1
            if turns.isMultiple(of: 200) { sched_yield() }
            if turns.isMultiple(of: 2_000) { await Task.yield() }
        }
        Self.pause(delay)
    }

    static func pause(_ turns: Int) {
        let nothing = Atomic(0)
        for _ in 0..<turns { nothing.add(1, ordering: .relaxed) }
    }
}
