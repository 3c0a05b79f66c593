// SPDX-License-Identifier: MIT
import Locks
internal import TaskCoordination

/// A clock that only the test moves.
///
/// An hour passes at once, and a deadline passes when the test moves the clock. Sleepers wake in the order of their
/// deadlines.
public final class ManualClock: Clock {
    /// An instant, as the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public var offset: Duration

        /// The instant at which a clock is made.
        public static let start = Instant(offset: .zero)

        /// The instant `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time from this instant to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether `one` is earlier.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let alarm: OneShot<Bool>
    }

    private struct State {
        var now = Instant.start
        /// The earliest deadline first, and then the earliest arrival.
        var sleepers: [Sleeper] = []
    }

    private let state = Mutex(State())

    /// Creates a clock that stands at ``Instant/start``.
    public init() {}

    /// The present instant.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: sleepers wake exactly at their deadline.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Waits until the clock has reached `deadline`.
    ///
    /// Returns at once when it has already passed.
    ///
    /// - Throws: `CancellationError`, at once.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let alarm = OneShot<Bool>()
        let isDue = state.withLock { state in
            if deadline <= state.now { return true }
            let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(Sleeper(deadline: deadline, alarm: alarm), at: place)
            return false
        }
        if isDue { return }
        guard await alarm.wait(onCancel: false) else {
            state.withLock { state in state.sleepers.removeAll { $0.alarm === alarm } }
            throw CancellationError()
        }
    }

    /// Moves the clock and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            let now = state.now.advanced(by: duration)
            let due = state.sleepers.prefix { $0.deadline <= now }
            state.now = now
            state.sleepers.removeFirst(due.count)
            return due
        }
        for sleeper in due { sleeper.alarm.resolve(true) }
    }
}
