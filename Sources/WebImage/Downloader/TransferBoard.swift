// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import TaskCoordination

/// What transfers and the queue need of their downloader without a hop to the actor: the fields to send, the transfers
/// that run with the byte count of each at the last look, and the task that looks at the queue.
final class TransferBoard: Sendable {
    fileprivate struct Running {
        let transfer: Transfer
        /// `nil` until the first look, and after a pause.
        var receivedCount: Int?
        /// Whether it had made no progress at the last look.
        var wasStalled = false
        /// Where it waits until its next bytes fit into what originals may hold.
        var pause: OneShot<Void>?

        /// Whether it has made no progress at the last look, nor since.
        var isStalled: Bool { wasStalled && receivedCount.map(isSlow) ?? false }

        /// Whether it has hardly received more bytes than these.
        func isSlow(since count: Int) -> Bool {
            transfer.receivedCount.load(ordering: .relaxed) - count < TransferBoard.leastProgress
        }
    }

    fileprivate struct State {
        var headers: HTTPHeaders
        /// By the numbers of the transfers, which are in the order of their beginning.
        var running: [Int: Running] = [:]
        /// How many of them are paused.
        var pausedCount = 0
        weak var downloader: ImageDownloader?
        var attendance: PacedTask?
        /// The looks at the queue so far.
        var round = 0
    }

    /// A transfer that receives fewer bytes between two looks, one second apart, makes no progress.
    fileprivate static let leastProgress = 1_024

    private let state: Mutex<State>

    init(_ headers: HTTPHeaders) { state = Mutex(State(headers: headers)) }

    /// Sets whose board it is, once.
    func serve(_ downloader: ImageDownloader) { state.withLock { $0.downloader = downloader } }

    var headers: HTTPHeaders { state.withLock { $0.headers } }

    func setHeader(_ value: String?, for name: String) { state.withLock { $0.headers[name] = value } }
}

// MARK: - Transfers that run

extension TransferBoard {
    var count: Int { state.withLock { $0.running.count } }

    /// The number of running transfers of each origin.
    var origins: [String: Int] {
        state.withLock { state in
            state.running.values.reduce(into: [:]) { origins, entry in origins[entry.transfer.lane, default: 0] += 1 }
        }
    }

    func insert(_ transfer: Transfer, number: Int) {
        state.withLock { $0.running[number] = Running(transfer: transfer) }
    }

    func remove(_ number: Int) {
        let paused = state.withLock { state in
            if state.running.removeValue(forKey: number)?.pause != nil { state.pausedCount -= 1 }
            // Another one may be the oldest now.
            return state.takePauses()
        }
        for pause in paused { pause.resolve(()) }
    }

    /// The number of transfers of each origin that have made no progress since the last look.
    func stalled() -> [String: Int] {
        state.withLock { state in
            var stalled: [String: Int] = [:]
            for (number, entry) in state.running {
                // The origin does not cause this silence.
                if entry.pause != nil { continue }
                let isStalled = entry.receivedCount.map(entry.isSlow) ?? false
                if isStalled { stalled[entry.transfer.lane, default: 0] += 1 }
                state.running[number]?.receivedCount = entry.transfer.receivedCount.load(ordering: .relaxed)
                state.running[number]?.wasStalled = isStalled
            }
            return stalled
        }
    }
}

// MARK: - Memory

/// A transfer pauses when its next bytes do not fit into what originals may hold: it does not read its body, and the
/// transport stops the origin. The oldest one that makes progress never pauses. Its end gives bytes back, or lets the
/// next one grow, so transfers do not wait for each other.
extension TransferBoard {
    /// Whether a transfer is paused.
    var hasPaused: Bool { state.withLock { $0.pausedCount > 0 } }

    /// Returns when the bytes of the transfer with this number are counted.
    ///
    /// - Throws: `CancellationError`.
    func makeRoom(for byteCount: Int, in share: OriginalShare, of number: Int) async throws {
        while let pause = state.withLock({ $0.pause(for: byteCount, share, number) }) {
            attend()
            await pause.wait(onCancel: ())
            try Task.checkCancellation()
        }
    }

    /// Lets paused transfers look again for room.
    func goOn() {
        for pause in state.withLock({ $0.takePauses() }) { pause.resolve(()) }
    }

    /// Whether transfers should not begin while so many run: there are enough originals. One that makes no progress
    /// does not count as running, unless originals hold twice what they may.
    func holdingBack(by jobs: JobQueue?) -> (@Sendable (_ priority: UInt8, _ running: Int) -> Bool)? {
        guard let jobs else { return nil }
        return { [self] priority, running in
            guard jobs.hasEnoughOriginals(for: priority, whileTransfersRun: running > 0) else { return false }
            return running == 0 || jobs.isCrowded
                || running > state.withLock { $0.running.values.count { $0.isStalled } }
        }
    }
}

extension TransferBoard.State {
    /// Counts the bytes.
    ///
    /// - Returns: What must be awaited before that.
    fileprivate mutating func pause(for byteCount: Int, _ share: OriginalShare, _ number: Int) -> OneShot<Void>? {
        let isOldest = !running.contains { $0.key < number && !$0.value.isStalled }
        if share.grow(by: byteCount, mustFit: !isOldest) { return nil }
        let pause = OneShot<Void>()
        running[number]?.pause = pause
        running[number]?.receivedCount = nil
        pausedCount += 1
        return pause
    }

    fileprivate mutating func takePauses() -> [OneShot<Void>] {
        guard pausedCount > 0 else { return [] }
        pausedCount = 0
        return running.keys.sorted().compactMap { running[$0]?.pause.take() }
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
