// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination

/// The transfers of a queue that have not ended, and what each may do next: a value without tasks of its own. Whose
/// turn it is, the slots of the queue know.
struct TransferLine {
    enum Stage {
        /// Waits for others, or is paused.
        case held
        case queued(Slots.Place)
        /// Has a slot; the task is there once it has been started.
        case running(Task<Void, Never>?)
    }

    struct Entry {
        let transfer: HTTPTransfer
        /// The number of transfers that must end before.
        var predecessors: Int
        var stage = Stage.held
        var isPaused = false
        var isCancelled = false
        /// Whether its present run was told to end for a pause.
        var wasPaused = false
        /// What the readers were told last; `nil` when a run has told them more.
        var told: HTTPTransferState? = .waiting
    }

    var entries: [Int: Entry] = [:]
    private var lastID = 0

    /// The number of transfers that wait or are paused.
    var waitingCount: Int { entries.values.count { if case .running = $0.stage { false } else { true } } }

    /// The transfers that have not ended, in the order in which they were added.
    var transfers: [HTTPTransfer] { entries.keys.sorted().compactMap { entries[$0]?.transfer } }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// What the queue does for a transfer.
    enum Step {
        /// It was cancelled, and is no longer in the line.
        case end
        /// Tells the readers, and begins with the slot.
        case go(telling: HTTPTransferState?, Slots.Permit?)
    }

    /// The next step of a transfer that neither runs nor is queued, and none for others.
    /// - Parameter enter: Takes a slot, or a place in the queue for one.
    mutating func next(_ id: Int, _ enter: (HTTPPriority) -> Slots.Admission?) -> Step? {
        guard var entry = entries[id], case .held = entry.stage else { return nil }
        if entry.isCancelled {
            entries[id] = nil
            return .end
        }
        let state: HTTPTransferState = entry.isPaused ? .paused : .waiting
        let news = entry.told == state ? nil : state
        entry.told = state
        var permit: Slots.Permit?
        if !entry.isPaused, entry.predecessors <= 0 {
            switch enter(entry.transfer.request.options.priority) {
            case .permit(let free)?: (entry.stage, permit) = (.running(nil), free)
            case .place(let place)?: entry.stage = .queued(place)
            case nil: break
            }
        }
        entries[id] = entry
        return .go(telling: news, permit)
    }

    /// Notes that a transfer that was queued has a slot.
    mutating func begin(_ id: Int) {
        guard var entry = entries[id] else { return }
        (entry.stage, entry.wasPaused) = (.running(nil), entry.isPaused)
        entries[id] = entry
    }

    /// Notes the task of a transfer that has begun.
    /// - Returns: Whether it was cancelled or paused meanwhile.
    mutating func started(_ id: Int, _ task: Task<Void, Never>) -> Bool {
        guard let entry = entries[id], case .running = entry.stage else { return false }
        entries[id]?.stage = .running(task)
        return entry.isCancelled || entry.wasPaused
    }

    /// Ends the run of a transfer.
    /// - Returns: Whether the transfer ends with it; `false` after a pause, also one that is over. Of one that was
    ///   cancelled, too, the next step says so.
    mutating func finish(_ id: Int, wasCancelled: Bool) -> Bool {
        // A pause that comes too late changes nothing.
        guard let entry = entries[id], wasCancelled, entry.wasPaused else {
            entries[id] = nil
            return true
        }
        entries[id]?.stage = .held
        entries[id]?.wasPaused = false
        entries[id]?.told = nil
        return false
    }
}
