// SPDX-License-Identifier: MIT
import Synchronization
import TaskCoordination

/// Fairness between hosts: a look at the queue once a second, while a transfer waits in it.
///
/// A host that sends its bytes slowly holds its slots until its transfers time out. So a transfer that waits for a
/// whole round gets the slot of another one, which continues without a slot. That other transfer makes no progress, or
/// its host has more than its share.
extension ImageDownloader {
    /// Starts the rounds when a transfer waits. A transfer only waits while another one runs.
    nonisolated func attendQueue() {
        guard slots.running > 0 else { return }
        attendance.begin { [weak self] in
            while !Task.isCancelled, (try? await Task.sleep(for: .seconds(1))) != nil {
                guard let self, self.goesOnAttending() else { return }
                self.nextRound()
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
    nonisolated func nextRound() {
        slots.nextRound(stalled: running.stalled(), patience: patience)
    }

    /// The number of rounds that a transfer may wait.
    private nonisolated var patience: Int {
        Int(min(max(configuration.queueTimeout, .seconds(1)), .seconds(86_400)).components.seconds)
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
