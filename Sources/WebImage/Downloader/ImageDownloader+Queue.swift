// SPDX-License-Identifier: MIT
import Synchronization
import TaskCoordination

/// Fairness between origins: a look at the queue five times a second, while a transfer waits in it.
///
/// An origin that sends its bytes slowly holds its slots until its transfers time out. So a transfer that waits for a
/// whole round gets the slot of another one, which continues without a slot. That other transfer makes no progress, or
/// its origin has more than its share.
extension ImageDownloader {
    /// The time between two looks at the queue.
    static let roundTime = Duration.milliseconds(200)
    /// The rounds after which the progress of the transfers is looked at: those of a second.
    private static let roundsPerSecond = 5

    /// Starts the rounds when a transfer waits. A transfer only waits while another one runs.
    nonisolated func attendQueue() {
        guard slots.running > 0 else { return }
        attendance.begin { [weak self] in
            var round = 0
            while !Task.isCancelled, (try? await Task.sleep(for: Self.roundTime)) != nil {
                guard let self, self.goesOnAttending() else { return }
                round += 1
                self.nextRound(looksAtProgress: round.isMultiple(of: Self.roundsPerSecond))
            }
        }
    }

    /// Whether a transfer waits. If none does, the next waiting transfer begins a new attendance.
    nonisolated func goesOnAttending() -> Bool {
        if slots.queued > 0 { return true }
        attendance.end()
        // A transfer that queued before this step has seen this attendance, which ends here.
        if slots.queued > 0 { attendQueue() }
        return false
    }

    /// Looks at the queue once.
    nonisolated func nextRound(looksAtProgress: Bool = true) {
        slots.nextRound(stalled: looksAtProgress ? running.stalled() : [:], patience: patience)
    }

    /// The number of rounds that a transfer may wait.
    private nonisolated var patience: Int {
        let seconds = min(max(configuration.queueTimeout, .seconds(1)), .seconds(86_400)).components.seconds
        return Int(seconds) * Self.roundsPerSecond
    }
}

/// The task that looks at the queue, while there is one.
///
/// Unstructured, because it lasts as long as transfers wait, whichever callers they have. It is cancelled at the end.
final class Attendance: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Starts the task, unless there is one.
    func begin(_ body: @escaping @concurrent @Sendable () async -> Void) {
        task.withLock { task in
            if task == nil { task = Task(name: "download queue", priority: .high, operation: body) }
        }
    }

    var isUnderWay: Bool { task.withLock { $0 != nil } }

    func end() {
        task.withLock { $0.take() }?.cancel()
    }
}
