// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import TaskCoordination

/// What transfers and the queue need of their downloader without a hop to the actor: the fields to send, the transfers
/// that run with the byte count of each at the last look, and the task that looks at the queue.
final class TransferBoard: Sendable {
    private struct Running {
        let transfer: Transfer
        /// `nil` until the first look.
        var receivedCount: Int?
    }

    private struct State {
        var headers: HTTPHeaders
        /// By place; places are reused.
        var running: [Running?] = []
        var free: [Int] = []
        weak var downloader: ImageDownloader?
        var attendance: PacedTask?
        /// The looks at the queue so far.
        var round = 0
    }

    /// A transfer that receives fewer bytes between two looks, one second apart, makes no progress.
    private static let leastProgress = 1_024

    private let state: Mutex<State>

    init(_ headers: HTTPHeaders) { state = Mutex(State(headers: headers)) }

    /// Sets whose board it is, once.
    func serve(_ downloader: ImageDownloader) { state.withLock { $0.downloader = downloader } }

    var headers: HTTPHeaders { state.withLock { $0.headers } }

    func setHeader(_ value: String?, for name: String) { state.withLock { $0.headers[name] = value } }
}

// MARK: - Transfers that run

extension TransferBoard {
    var count: Int { state.withLock { $0.running.count - $0.free.count } }

    /// The number of running transfers of each origin.
    var origins: [String: Int] {
        state.withLock { state in
            state.running.reduce(into: [:]) { origins, entry in
                if let entry { origins[entry.transfer.lane, default: 0] += 1 }
            }
        }
    }

    /// - Returns: The place, for the removal.
    func insert(_ transfer: Transfer) -> Int {
        state.withLock { state in
            let entry = Running(transfer: transfer)
            guard let place = state.free.popLast() else {
                state.running.append(entry)
                return state.running.count - 1
            }
            state.running[place] = entry
            return place
        }
    }

    func remove(at place: Int) {
        state.withLock { state in
            state.running[place] = nil
            state.free.append(place)
        }
    }

    /// The number of transfers of each origin that have made no progress since the last look.
    func stalled() -> [String: Int] {
        state.withLock { state in
            var stalled: [String: Int] = [:]
            for place in state.running.indices {
                guard let entry = state.running[place] else { continue }
                let now = entry.transfer.receivedCount.load(ordering: .relaxed)
                if let before = entry.receivedCount, now - before < Self.leastProgress {
                    stalled[entry.transfer.lane, default: 0] += 1
                }
                state.running[place]?.receivedCount = now
            }
            return stalled
        }
    }
}

// MARK: - The attendance

/// The task that looks at the queue, while there is one. The slots begin it after they have queued a transfer.
///
/// It lasts as long as transfers wait, whichever callers they have. It is cancelled at the end.
extension TransferBoard {
    /// Starts the task, unless there is one.
    func attend() {
        state.withLock { state in
            guard state.attendance == nil else { return }
            state.attendance = PacedTask("download queue", priority: .high, after: ImageDownloader.roundTime) {
                [weak downloader = state.downloader] in downloader?.attend() == true ? ImageDownloader.roundTime : nil
            }
        }
    }

    /// Counts a look at the queue.
    func nextRound() -> Int {
        state.withLock { state in
            state.round += 1
            return state.round
        }
    }

    var isAttended: Bool { state.withLock { $0.attendance != nil } }

    func endAttendance() { state.withLock { $0.attendance.take() }?.cancel() }
}
