// SPDX-License-Identifier: MIT
public import Locks

/// One caller of a flight: where it waits, and what it has been told.
///
/// Each caller has an object of its own, so to wait, and to be told, take no lock that another caller wants.
@usableFromInline final class FlightCaller<Value: Sendable, Progress: Sendable>: Sendable {
    /// How far the flight is, and which of its reports says so, from 1.
    @usableFromInline typealias Report = (progress: Progress, number: Int)

    @usableFromInline struct State {
        /// The caller's task, while it waits.
        @usableFromInline var waiter: Suspension<Void, Never>?
        /// The latest report, until the caller hears it.
        @usableFromInline var report: Report?
        @usableFromInline var reportNumber: Int
        /// How the wait ends. The first ending counts.
        @usableFromInline var result: Result<Value, any Error>?

        @inlinable init(report: Report?) {
            self.report = report
            reportNumber = report?.number ?? 0
        }
    }

    @usableFromInline let state: Mutex<State>
    @usableFromInline let isListening: Bool

    /// - Parameters:
    ///   - isListening: Whether the caller wants reports.
    ///   - report: What the flight reported last, for a caller that joins late.
    @inlinable init(isListening: Bool, report: Report?) {
        self.isListening = isListening
        state = Mutex(State(report: isListening ? report : nil))
    }
    @inlinable deinit {}
}

// MARK: - Told by the flight

extension FlightCaller {
    /// Tells how far the flight is. A later report replaces one that the caller has not heard yet.
    @inlinable func tell(_ report: Report) {
        guard isListening else { return }
        wake { state in
            guard report.number > state.reportNumber, state.result == nil else { return false }
            (state.report, state.reportNumber) = (report, report.number)
            return true
        }
    }

    /// Tells how the flight has ended. The caller hears the last report before that.
    @inlinable func end(with result: Result<Value, any Error>) {
        wake { state in
            guard state.result == nil else { return false }
            state.result = result
            return true
        }
    }

    /// Ends the wait of a caller that is cancelled, and hears nothing more.
    @inlinable func cancel() {
        wake { state in
            guard state.result == nil else { return false }
            (state.result, state.report) = (.failure(CancellationError()), nil)
            return true
        }
    }

    /// Changes the state, and resumes the task after the lock is released, when there is something to tell.
    @inlinable func wake(_ change: (inout State) -> Bool) {
        // Resumed exactly once: the step that takes it out of the state is the only one that has it.
        state.withLock { change(&$0) ? $0.waiter.take() : nil }?.resume(returning: ())
    }
}

// MARK: - Waiting

extension FlightCaller {
    /// Waits for the end, and hears each report before it. Called by the caller's own task.
    @inlinable @inline(never) func listen(_ onProgress: (Progress) async -> Void) async {
        while true {
            if let report = takeReport() {
                await onProgress(report)
            } else if hasEnded {
                return
            } else {
                await wait()
            }
        }
    }

    /// Suspends until there is something to tell. Called by the caller's own task.
    @inlinable func wait() async {
        await withSuspension { suspension in
            let isTold = state.withLock { state in
                if state.report != nil || state.result != nil { return true }
                state.waiter = suspension
                return false
            }
            if isTold { suspension.resume(returning: ()) }
        }
    }

    @inlinable func takeReport() -> Progress? { state.withLock { $0.report.take()?.progress } }

    @inlinable var hasEnded: Bool { state.withLock { $0.result != nil } }

    /// What the flight has brought, once the wait has ended; `nil` before.
    @inlinable @inline(never) func value() throws -> Value? { try state.withLock { $0.result }?.get() }
}
