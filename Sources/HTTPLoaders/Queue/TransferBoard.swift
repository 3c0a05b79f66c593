// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination

/// The state of a transfer, and those who wait for another.
final class TransferBoard: Sendable {
    private struct Contents {
        var state = HTTPTransferState.waiting
        /// How much of a content the present run has sent; `nil` for none.
        var sent: HTTPTransferState?
        /// The number of the run whose reports count; 0 while none does.
        var run = 0
        var lastRun = 0

        /// Whether a reader of this state, and of what was sent, has more to read.
        func isNews(after state: HTTPTransferState?, _ sent: HTTPTransferState?) -> Bool {
            self.state != state || self.sent != nil && self.sent != sent
        }
    }

    private let contents = Watched(Contents())

    var state: HTTPTransferState { contents.read(\.state) }

    /// The number of readers that wait.
    var readerCount: Int { contents.watcherCount }

    /// The state, and the last of its run in which content was sent, as soon as one of them is another.
    ///
    /// **Cancellation**: returns `nil` at once.
    func states(
        after state: HTTPTransferState?, _ sent: HTTPTransferState?
    ) async -> (HTTPTransferState, sent: HTTPTransferState?)? {
        while await contents.answer(to: { $0.isNews(after: state, sent) ? true : nil }) != nil {
            // Another change may have come since.
            let now = contents.value
            if now.isNews(after: state, sent) { return (now.state, now.sent) }
        }
        return nil
    }

    /// Changes the state. Reports of earlier runs no longer count.
    func set(_ state: HTTPTransferState) { contents.change { ($0.run, $0.state) = (0, state) } }

    /// The reports of a new run.
    func beginRun() -> TransferReports {
        let run = contents.change { contents in
            contents.lastRun += 1
            contents.run = contents.lastRun
            contents.sent = nil
            return contents.run
        }
        return TransferReports { [self] in report($0, by: run) }
    }

    private func report(_ progress: TransferReports.Progress, by run: Int) {
        let state: HTTPTransferState =
            switch progress {
            case .connecting: .connecting
            case .sending(let byteCount): .sending(byteCount: byteCount)
            case .receiving(let byteCount, let expected): .receiving(byteCount: byteCount, expected: expected)
            }
        contents.change { contents in
            guard contents.run == run else { return }
            contents.state = state
            if case .sending(byteCount: 1...) = state { contents.sent = state }
        }
    }
}
