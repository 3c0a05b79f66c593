import Synchronization

/// One piece of shared work: its callers, its latest progress, and its landing.
final class Flight<Value: Sendable, Progress: Sendable>: Sendable {
    /// A report and its number, from 1.
    struct Report: Sendable {
        let number: Int
        let progress: Progress
    }

    let cabin: Cabin
    private let landing = Mutex<Result<Value, any Error>?>(nil)
    private let latest = Mutex<Report?>(nil)

    init(priority: TaskPriority) {
        cabin = Cabin(priority: priority)
    }

    /// Notes how far the work has come, and tells the callers who want to know.
    func report(_ progress: Progress) {
        let number = latest.withLock { latest in
            let number = (latest?.number ?? 0) + 1
            latest = Report(number: number, progress: progress)
            return number
        }
        cabin.report(number)
    }

    /// Ends the flight and its callers' waits.
    func land(_ result: Result<Value, any Error>) {
        landing.withLock { $0 = result }
        cabin.land()
    }

    /// What the flight has brought.
    ///
    /// - Returns: `nil` when it is in the air.
    /// - Throws: The operation's error.
    func value() throws -> Value? { try landing.withLock { $0 }?.get() }

    /// Waits for the landing.
    ///
    /// - Returns: `false` when the caller has left, or every flight was cancelled.
    func hasLanded(seat: Int, _ onProgress: ((Progress) async -> Void)?) async -> Bool {
        var known = onProgress == nil ? Int.max : 0
        while true {
            switch await cabin.wait(in: seat, knowing: known) {
            case .landed: return true
            case .cancelled: return false
            case .progress:
                guard let report = latest.withLock({ $0 }) else { continue }
                known = report.number
                await onProgress?(report.progress)
            }
        }
    }
}
