// SPDX-License-Identifier: MIT
import HTTPTransport

/// The transfers of a queue, and whose turn it is: a value without tasks of its own.
/// - Complexity: O(1) for every step but ``next()``, which skips the transfers that have left since they were lined up.
struct TransferLine {
    private struct Entry {
        let transfer: HTTPTransfer
        /// The number of transfers that must end before.
        var predecessors: Int
        var isRunning = false
        var isPaused = false
        var isCancelled = false
        /// Whether its present run was told to end for a pause.
        var wasPaused = false
        /// Whether it is in the list of those that may begin.
        var isLinedUp = false
        var task: Task<Void, Never>?
    }

    let width: Int
    var isSuspended: Bool
    private(set) var runningCount = 0
    private var entries: [Int: Entry] = [:]
    /// The transfers that may begin, by priority; each list is read from an index on.
    private var ready = [[Int]](repeating: [], count: HTTPPriority.allCases.count)
    private var read = [Int](repeating: 0, count: HTTPPriority.allCases.count)
    private var lastID = 0

    init(width: Int, isSuspended: Bool) {
        self.width = width
        self.isSuspended = isSuspended
    }

    /// The number of transfers that have not ended.
    var count: Int { entries.count }

    /// The transfers that have not ended, in the order in which they were added.
    var transfers: [HTTPTransfer] { entries.keys.sorted().compactMap { entries[$0]?.transfer } }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ transfer: HTTPTransfer, predecessors: Int) {
        entries[transfer.id] = Entry(transfer: transfer, predecessors: predecessors)
        lineUp(transfer.id)
    }

    mutating func predecessorEnded(of id: Int) {
        entries[id]?.predecessors -= 1
        lineUp(id)
    }

    /// The transfer that begins now, if one may.
    mutating func next() -> HTTPTransfer? {
        guard !isSuspended, runningCount < width else { return nil }
        for priority in ready.indices.reversed() {
            while read[priority] < ready[priority].count {
                let id = ready[priority][read[priority]]
                read[priority] += 1
                entries[id]?.isLinedUp = false
                guard mayBegin(id) else { continue }
                entries[id]?.isRunning = true
                runningCount += 1
                return entries[id]?.transfer
            }
            ready[priority] = []
            read[priority] = 0
        }
        return nil
    }

    /// Notes the task of a transfer that has begun.
    /// - Returns: Whether it was cancelled or paused meanwhile.
    mutating func started(_ id: Int, _ task: Task<Void, Never>) -> Bool {
        guard let entry = entries[id], entry.isRunning else { return false }
        entries[id]?.task = task
        return entry.isCancelled || entry.wasPaused
    }

    /// What a call must do to a transfer.
    enum Step {
        case none
        /// The task is cancelled; without one yet, its start finds out.
        case cancel(Task<Void, Never>?)
        /// The transfer does not run.
        case end
    }

    mutating func cancel(_ id: Int) -> Step {
        guard let entry = entries[id] else { return .none }
        guard entry.isRunning else {
            entries[id] = nil
            return .end
        }
        entries[id]?.isCancelled = true
        return .cancel(entry.task)
    }

    mutating func pause(_ id: Int) -> Step {
        guard let entry = entries[id], !entry.isPaused else { return .none }
        entries[id]?.isPaused = true
        entries[id]?.wasPaused = entry.isRunning
        return entry.isRunning ? .cancel(entry.task) : .end
    }

    /// - Returns: Whether the transfer waits again.
    mutating func resume(_ id: Int) -> Bool {
        guard let entry = entries[id], entry.isPaused else { return false }
        entries[id]?.isPaused = false
        lineUp(id)
        return !entry.isRunning
    }

    enum Ending {
        case ended
        case paused
        /// It was paused and resumed before its task had ended.
        case waiting
    }

    /// Ends the run of a transfer.
    mutating func finish(_ id: Int, wasCancelled: Bool) -> Ending {
        runningCount -= 1
        guard let entry = entries[id] else { return .ended }
        entries[id]?.isRunning = false
        entries[id]?.task = nil
        entries[id]?.wasPaused = false
        // A pause that comes too late changes nothing.
        guard wasCancelled, entry.wasPaused, !entry.isCancelled else {
            entries[id] = nil
            return .ended
        }
        guard !entry.isPaused else { return .paused }
        lineUp(id)
        return .waiting
    }

    private func mayBegin(_ id: Int) -> Bool {
        guard let entry = entries[id] else { return false }
        return !entry.isRunning && !entry.isPaused && entry.predecessors <= 0
    }

    private mutating func lineUp(_ id: Int) {
        guard mayBegin(id), let entry = entries[id], !entry.isLinedUp else { return }
        entries[id]?.isLinedUp = true
        ready[entry.transfer.request.options.priority.rawValue].append(id)
    }
}
