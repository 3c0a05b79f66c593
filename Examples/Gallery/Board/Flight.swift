// SPDX-License-Identifier: MIT
import WebImageBinding

/// A picture of the board: its download, and the callers that ask for it.
///
/// What happens to it is told by the manager's activities; only the number of calls is counted by the board.
struct Flight: Sendable {
    enum State: Hashable, Sendable {
        /// No caller has asked.
        case idle
        /// The download waits for a slot.
        case waiting
        /// The download has a slot; the part that has arrived, 0 to 1.
        case downloading(Double)
        /// All bytes are there.
        case decoding
        case done(ImageSource)
        /// Every caller has left.
        case cancelled
        case failed

        /// The order of the states of one download.
        fileprivate var rank: Int {
            switch self {
            case .idle: 0
            case .waiting: 1
            case .downloading: 2
            case .decoding: 3
            case .done, .cancelled, .failed: 4
            }
        }
    }

    /// Counts of one stampede.
    struct Counts: Hashable, Sendable {
        var asked = 0
        var served = 0
        var left = 0
        var failed = 0
        /// Downloads that waited for a slot, or had one at once.
        var queued = 0
        /// Downloads that began.
        var downloads = 0
        var memoryHits = 0
        /// Flights that the disk answered.
        var diskHits = 0

        /// Callers that still wait.
        var waiting: Int { max(0, asked - served - left - failed) }
        /// Callers that found a flight under way, instead of starting one.
        var joined: Int { max(0, asked - memoryHits - diskHits - max(queued, downloads)) }

        static func + (one: Counts, other: Counts) -> Counts {
            Counts(
                asked: one.asked + other.asked, served: one.served + other.served, left: one.left + other.left,
                failed: one.failed + other.failed, queued: one.queued + other.queued,
                downloads: one.downloads + other.downloads,
                memoryHits: one.memoryHits + other.memoryHits, diskHits: one.diskHits + other.diskHits)
        }
    }

    let name: String
    private(set) var state = State.idle
    var counts = Counts()
    /// The part of the picture that has arrived, as shown.
    private(set) var fraction = 0.0
    /// States that were reached and not shown yet.
    private var reached: [State] = []

    init(name: String) { self.name = name }

    /// Whether its download waits for a slot, or has one.
    var isQueued: Bool { state == .waiting }
    var isDownloading: Bool { if case .downloading = state { true } else { false } }
    /// Whether the state on show is not the newest.
    var isBehind: Bool { !reached.isEmpty }

    /// Begins a new stampede.
    mutating func reset() {
        state = .idle
        fraction = 0
        reached = []
        counts = Counts()
    }

    /// Shows the next state. One at a time, so that a state that lasts a millisecond is seen as well.
    mutating func goOn() {
        guard !reached.isEmpty else { return }
        state = reached.removeFirst()
        switch state {
        case .idle, .waiting: fraction = 0
        case .downloading(let part): fraction = part
        case .decoding, .done: fraction = 1
        case .cancelled, .failed: break
        }
    }

    mutating func note(_ activity: LoadActivity.Kind) {
        switch activity {
        case .queued:
            counts.queued += 1
            enter(.waiting)
        case .started:
            counts.downloads += 1
            enter(.downloading(0))
        case .progress(let progress): arrive(progress)
        case .waitingForMemory, .decoded: enter(.decoding)
        case .cacheHit(.memory): counts.memoryHits += 1
        case .cacheHit(.disk):
            counts.diskHits += 1
            enter(.decoding)
        case .finished(let source, _):
            counts.served += 1
            enter(.done(source))
        case .cancelled:
            counts.left += 1
            if counts.waiting == 0, counts.served == 0 { enter(.cancelled) }
        case .failed:
            counts.failed += 1
            enter(.failed)
        case .cacheHit(.network), .cacheHit(.program), .firstByte, .stored, .writeDropped, .cacheFailed: break
        }
    }

    private mutating func arrive(_ progress: LoadProgress) {
        let fraction = progress.fraction ?? 0
        enter(fraction < 1 ? .downloading(fraction) : .decoding)
    }

    /// Remembers a state for the next times that states are shown.
    private mutating func enter(_ next: State) {
        let newest = reached.last ?? state
        let isNewFlight = next.rank < 3 && newest.rank == 4
        // Where the first caller got the picture from is what counts.
        if case .done = newest, case .done = next { return }
        guard next.rank >= newest.rank || isNewFlight else { return }
        // What arrives later of the same kind takes the place of what was not shown yet.
        if next.rank == newest.rank, !reached.isEmpty { reached.removeLast() }
        if next != state || !reached.isEmpty { reached.append(next) }
    }
}
