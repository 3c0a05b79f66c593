// SPDX-License-Identifier: MIT
import Locks
import PlatformBasics
import TaskCoordination

extension ImagePrefetcher {
    /// One list that is being prefetched: stops it and shows its progress.
    ///
    /// A token may be dropped; the list continues.
    public final class Token: Sendable {
        private struct State {
            var report: Report
            var watchers: [UInt64: Watcher] = [:]
            var lastID: UInt64 = 0
        }

        private struct Watcher {
            let isSatisfied: @Sendable (Progress) -> Bool
            let alarm: OneShot<Progress?>
        }

        private let state: Mutex<State>

        init(totalCount: Int) { state = Mutex(State(report: Report(progress: Progress(totalCount: totalCount)))) }

        /// The present progress of the list.
        public var progress: Progress { report.progress }

        var report: Report { state.withLock { $0.report } }

        /// The progress now and after every change, up to the last. For any number of readers; a slow reader skips
        /// steps.
        public var updates: Updates { Updates(token: self) }

        /// Waits until every request of the list has ended.
        ///
        /// - Throws: `CancellationError` as soon as the calling task is cancelled; the list continues.
        public func waitUntilOver() async throws -> Report {
            guard await progress(when: \.isOver) != nil else { throw CancellationError() }
            return report
        }
    }
}

extension ImagePrefetcher.Token {
    /// Waits for a progress that satisfies the condition; `nil` when the calling task is cancelled.
    func progress(
        when isSatisfied: @escaping @Sendable (ImagePrefetcher.Progress) -> Bool
    ) async -> ImagePrefetcher.Progress? {
        guard !Task.isCancelled else { return nil }
        let alarm = OneShot<ImagePrefetcher.Progress?>()
        let (present, id) = state.withLock { state in
            let progress = state.report.progress
            state.lastID += 1
            guard !isSatisfied(progress) else { return (Optional(progress), state.lastID) }
            state.watchers[state.lastID] = Watcher(isSatisfied: isSatisfied, alarm: alarm)
            return (nil, state.lastID)
        }
        if let present { return present }
        let progress = await alarm.wait(onCancel: nil)
        if progress == nil { state.withLock { $0.watchers[id] = nil } }
        return progress
    }

    /// Counts requests that ended in the same way.
    func count(_ result: Result<Void, any Error>, of url: URL, times: Int) {
        update { report in
            switch result {
            case .success: report.progress.finishedCount += times
            case .failure(is CancellationError): report.progress.cancelledCount += times
            case .failure(let error):
                report.progress.failedCount += times
                let room = ImagePrefetcher.Report.maximumFailureCount - report.failures.count
                let failure = ImagePrefetcher.Report.Failure(url: url, error: error)
                report.failures += repeatElement(failure, count: min(room, times))
            }
        }
    }

    /// Counts requests that were never begun.
    func countCancelled(_ count: Int) {
        update { $0.progress.cancelledCount += count }
    }

    /// Ends the list: requests that have not ended are cancelled.
    func end() {
        update { $0.progress.cancelledCount += $0.progress.totalCount - $0.progress.endedCount }
    }

    private func update(_ change: (inout ImagePrefetcher.Report) -> Void) {
        let (progress, satisfied) = state.withLock { state in
            change(&state.report)
            let progress = state.report.progress
            let satisfied = state.watchers.filter { $0.value.isSatisfied(progress) }
            for id in satisfied.keys { state.watchers[id] = nil }
            return (progress, satisfied.values.map(\.alarm))
        }
        for alarm in satisfied { alarm.resolve(progress) }
    }

    /// The number of readers and waiters.
    var watcherCount: Int { state.withLock { $0.watchers.count } }
}

extension ImagePrefetcher.Token: Hashable {
    /// Whether both are the same list.
    public static func == (one: ImagePrefetcher.Token, other: ImagePrefetcher.Token) -> Bool { one === other }

    /// Hashes the identity of the list.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
