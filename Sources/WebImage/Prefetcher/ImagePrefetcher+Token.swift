// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

extension ImagePrefetcher {
    /// One list that is being prefetched: stops it and shows its progress.
    ///
    /// A token may be dropped; the list continues.
    public final class Token: Sendable {
        private let state: Watched<Report>

        init(totalCount: Int) { state = Watched(Report(progress: Progress(totalCount: totalCount))) }

        /// The present progress of the list.
        public var progress: Progress { report.progress }

        var report: Report { state.value }

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
        return await state.answer { isSatisfied($0.progress) ? $0.progress : nil }
    }

    /// Counts requests that ended in the same way.
    func count(_ result: Result<Void, any Error>, of url: URL, times: Int) {
        state.change { report in
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
        state.change { $0.progress.cancelledCount += count }
    }

    /// Ends the list: requests that have not ended are cancelled.
    func end() {
        state.change { $0.progress.cancelledCount += $0.progress.totalCount - $0.progress.endedCount }
    }

    /// The number of readers and waiters.
    var watcherCount: Int { state.watcherCount }
}

extension ImagePrefetcher.Token: Hashable {
    /// Whether both are the same list.
    public static func == (one: ImagePrefetcher.Token, other: ImagePrefetcher.Token) -> Bool { one === other }

    /// Hashes the identity of the list.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
