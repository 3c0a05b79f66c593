// SPDX-License-Identifier: MIT
import Foundation

/// Measures how long the gallery holds the main actor each time it is entered.
///
/// Every entry point of the gallery uses ``measure(_:)``: keys, timers, scenes, and the calls of a binding.
@MainActor
final class TurnMeter {
    private(set) var count = 0
    /// The longest turn in real time, which includes the time of other processes.
    private(set) var longest = Duration.zero
    /// The longest turn in processor time.
    private(set) var longestWork = Duration.zero
    private var depth = 0

    func measure<T>(_ body: () throws -> T) rethrows -> T {
        // A turn within a turn is part of it.
        if depth > 0 { return try body() }
        depth += 1
        let start = ContinuousClock.now
        let work = Self.processorTime()
        defer {
            depth -= 1
            count += 1
            longest = max(longest, ContinuousClock.now - start)
            longestWork = max(longestWork, Self.processorTime() - work)
        }
        return try body()
    }

    private static func processorTime() -> Duration {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
