// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination

/// Blocks a thread, not a task, until the test lets it go on.
final class Blocker: Sendable {
    private let arrival = OneShot<Void>()
    private let semaphore = DispatchSemaphore(value: 0)

    func block() {
        arrival.resolve(())
        semaphore.wait()
    }

    func reached() async { await arrival.wait() }

    func release() { semaphore.signal() }
}
