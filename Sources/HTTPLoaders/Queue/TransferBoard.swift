// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks

/// The state of a transfer, and those who wait for another.
final class TransferBoard: Sendable {
    private struct Contents {
        var state = HTTPTransferState.waiting
        /// How much of a content the present run has sent; `nil` for none.
        var sent: HTTPTransferState?
        /// The number of the run whose reports count; 0 while none does.
        var run = 0
        var lastRun = 0
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastReader = 0
    }

    private let contents = Mutex(Contents())

    var state: HTTPTransferState { contents.withLock { $0.state } }

    /// The state, and the last of its run in which content was sent.
    var states: (HTTPTransferState, sent: HTTPTransferState?) { contents.withLock { ($0.state, $0.sent) } }

    /// The number of sequences that are read.
    var readerCount: Int { contents.withLock { $0.readers.count } }

    /// A sequence with an element after each change, beginning now. Changes that are not read become one.
    func subscribe() -> AsyncStream<Void> {
        let (stream, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = contents.withLock { contents in
            contents.lastReader += 1
            contents.readers[contents.lastReader] = reader
            return contents.lastReader
        }
        reader.onTermination = { [weak self] _ in self?.contents.withLock { _ = $0.readers.removeValue(forKey: id) } }
        return stream
    }

    /// Changes the state. Reports of earlier runs no longer count.
    func set(_ state: HTTPTransferState) {
        publish {
            $0.run = 0
            $0.state = state
            return true
        }
    }

    /// The reports of a new run.
    func beginRun() -> TransferReports {
        let run = contents.withLock { contents in
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
        publish { contents in
            guard contents.run == run, contents.state != state else { return false }
            contents.state = state
            if case .sending(byteCount: 1...) = state { contents.sent = state }
            return true
        }
    }

    private func publish(_ change: (inout Contents) -> Bool) {
        let readers = contents.withLock { contents in
            change(&contents) ? Array(contents.readers.values) : []
        }
        // The readers look at the state themselves, so the order of two changes does not matter here.
        for reader in readers { reader.yield() }
    }
}
