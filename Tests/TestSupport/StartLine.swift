// SPDX-License-Identifier: MIT
import Synchronization

/// Lets threads run into each other: each waits a moment for the others, and then a number of turns of its own.
package final class StartLine: Sendable {
    private let missing: Atomic<Int>

    /// - Parameter count: How many are to come.
    package init(_ count: Int) { missing = Atomic(count) }

    /// Goes on when all have come, or when they do not come: there may be fewer threads than runners.
    ///
    /// On the processor, because a suspension takes longer than a race lasts.
    package func wait(turns: Int) {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        var patience = 2_000
        while patience > 0, missing.load(ordering: .acquiring) > 0 { patience -= 1 }
        for _ in 0..<turns { _ = missing.load(ordering: .acquiring) }
    }
}
