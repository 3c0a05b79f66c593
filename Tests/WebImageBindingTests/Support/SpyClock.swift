// SPDX-License-Identifier: MIT
import Locks
import Testing
import WebImageTesting

/// A manual clock that counts the sleeps that have begun.
///
/// A sleep that is counted knows its deadline, so a test that has seen the count may move the clock.
final class SpyClock: Clock {
    private struct Count {
        var started = 0
        var passed = 0
    }

    private let clock = ManualClock()
    private let count = Mutex(Count())

    var now: ManualClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }
    var sleepers: Int { clock.sleepers }
    /// The number of sleeps begun, ended or not.
    var started: Int { count.withLock { $0.started } }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        count.withLock { $0.started += 1 }
        try await clock.sleep(until: deadline, tolerance: tolerance)
    }

    func advance(by duration: Duration) { clock.advance(by: duration) }

    /// Moves the clock as soon as a sleep has begun since the last call.
    @MainActor
    func pass(_ duration: Duration) async {
        await until { count.withLock { $0.started > $0.passed } }
        count.withLock { $0.passed = $0.started }
        advance(by: duration)
    }
}
