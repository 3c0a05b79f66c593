// SPDX-License-Identifier: MIT
import TaskCoordination

/// Fairness between origins: a look at the queue five times a second, while a transfer waits in it or is paused.
///
/// An origin that sends its bytes slowly holds its slots until its transfers time out. So a transfer that waits for a
/// whole round gets the slot of another one, which continues without a slot. That other transfer makes no progress, or
/// its origin has more than its share.
extension ImageDownloader {
    /// The time between two looks at the queue.
    static let roundTime = Duration.milliseconds(200)
    /// The rounds after which the progress of the transfers is looked at: those of a second.
    private static let roundsPerSecond = 5

    /// Looks at the queue, if a transfer waits or is paused.
    /// - Returns: Whether one waits.
    nonisolated func attend() -> Bool {
        guard goesOnAttending() else { return false }
        nextRound(looksAtProgress: board.nextRound().isMultiple(of: Self.roundsPerSecond))
        return true
    }

    /// Whether a transfer waits. If none does, the attendance is over, and the next transfer that queues begins
    /// another.
    nonisolated func goesOnAttending() -> Bool {
        if slots.queued > 0 || board.hasPaused { return true }
        board.endAttendance()
        // A transfer that queued before this step may have found this attendance, which has ended. One that queues
        // later finds none.
        if slots.queued > 0 || board.hasPaused { board.attend() }
        return false
    }

    /// Looks at the queue once.
    nonisolated func nextRound(looksAtProgress: Bool = true) {
        slots.nextRound(stalled: looksAtProgress ? board.stalled() : [:], patience: patience)
        if looksAtProgress { board.goOn() }
    }

    /// The number of rounds that a transfer may wait.
    private nonisolated var patience: Int {
        let seconds = min(max(configuration.queueTimeout, .seconds(1)), .seconds(86_400)).components.seconds
        return Int(seconds) * Self.roundsPerSecond
    }
}
