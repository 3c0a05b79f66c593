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

    fileprivate struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let alarm: OneShot<Bool>
    }

    fileprivate struct State {
        var now = Instant.start
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0
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
        let id = state.withLock { $0.add(alarm, until: deadline) }
        guard let id else { return }
        let isAwake = await alarm.wait(onCancel: false)
        guard isAwake else {
            state.withLock { state in state.sleepers.removeAll { $0.id == id } }
            throw CancellationError()
        }
    }

    /// Moves the clock and wakes the tasks whose deadline has passed.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.takeDue()
        }
        for sleeper in due { sleeper.alarm.resolve(true) }
    }
}

extension ManualClock.State {
    /// `nil` when the deadline has passed.
    fileprivate mutating func add(_ alarm: OneShot<Bool>, until deadline: ManualClock.Instant) -> UInt64? {
        guard deadline > now else { return nil }
        lastID += 1
        sleepers.append(ManualClock.Sleeper(id: lastID, deadline: deadline, alarm: alarm))
        return lastID
    }

    /// Takes the sleepers to wake, the earliest deadline first and then the earliest arrival.
    fileprivate mutating func takeDue() -> [ManualClock.Sleeper] {
        let now = now
        let due = sleepers.filter { $0.deadline <= now }
        sleepers.removeAll { $0.deadline <= now }
        return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
    }
}
