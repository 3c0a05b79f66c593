// SPDX-License-Identifier: MIT
import Locks

@testable import WebImage

/// The time since 1970, set by the test.
///
/// It begins near the real time, because files have real dates.
final class TestTime: Sendable {
    private let time = Mutex(DiskCache.Configuration.systemTime())

    var now: Duration { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
