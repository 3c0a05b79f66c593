// SPDX-License-Identifier: MIT
import TaskCoordination

/// Decides which transfers may run now, so that none waits inside libcurl, where the wait would count against its time
/// limits.
///
/// Within an origin a higher priority goes first, and among equals the first come; waiting origins take turns.
/// - Complexity: O(1) to enter and to leave, amortised; O(log *n*) to abandon one of *n* that wait; O(number of waiting
///   origins) to admit.
struct AdmissionQueue {
    private final class Lane {
        var running = 0
        /// Whether the origin is known to answer in HTTP/2, where transfers share a connection.
        var isMultiplexed = false
        /// By their numbers.
        var waiting = SlotQueue<Transfer>()
        var isListed = false

        /// The number of connections in use, as far as it is known here.
        var connections: Int { isMultiplexed ? min(1, running) : running }
    }

    /// The number of streams on one HTTP/2 connection that servers commonly allow.
    private static let streamLimit = 100
    /// The number of origins to remember beyond those with transfers, at most 0.5 KiB each.
    private static let memory = 1_000

    private let perOrigin: Int
    private let total: Int
    private let maximumQueueLength: Int
    private var lanes: [Origin: Lane] = [:]
    private var waitingOrigins: [Origin] = []
    /// Whose turn is next of the waiting origins: that behind the one that was served last.
    private var turn = 0
    /// The number of connections in use, as far as it is known here.
    private(set) var connections = 0
    /// The number of transfers that wait.
    private(set) var waitingCount = 0

    /// The number of places in the lines, those of transfers that have left included. For tests.
    var placeCount: Int { lanes.values.reduce(0) { $0 + $1.waiting.placeCount } }

    /// The number of entries of any kind: transfers that run or wait, connections, origins in turn. For tests.
    var entryCount: Int {
        connections + waitingCount + waitingOrigins.count + lanes.values.reduce(0) { $0 + $1.running }
    }

    init(_ configuration: HTTPClient.Configuration) {
        perOrigin = max(1, configuration.maximumConnectionsPerHost)
        total = max(1, configuration.maximumConnections)
        maximumQueueLength = max(1, configuration.maximumQueuedRequests)
    }

    enum Entry {
        case admitted
        case queued
        case overloaded
    }

    /// Enters a transfer, to run now or later.
    mutating func enter(_ transfer: Transfer) -> Entry {
        let lane = lane(of: transfer.origin)
        if lane.waiting.isEmpty, mayRun(in: lane) {
            changeRunning(in: lane, by: 1)
            return .admitted
        }
        guard waitingCount < maximumQueueLength else { return .overloaded }
        waitingCount += 1
        lane.waiting.insert(transfer, number: Int(transfer.id), priority: UInt8(transfer.priority.rawValue))
        if !lane.isListed {
            lane.isListed = true
            waitingOrigins.append(transfer.origin)
        }
        return .queued
    }

    /// Notes that a running transfer has ended.
    mutating func leave(_ origin: Origin) {
        guard let lane = lanes[origin] else { return }
        changeRunning(in: lane, by: -1)
        if lane.running == 0, !lane.isListed, lanes.count > Self.memory { lanes[origin] = nil }
    }

    /// Notes that a waiting transfer has ended.
    mutating func abandon(_ transfer: Transfer) {
        if lanes[transfer.origin]?.waiting.remove(Int(transfer.id)) != nil { waitingCount -= 1 }
    }

    /// Notes that an origin has answered in HTTP/2, or in HTTP/1.1 again.
    mutating func learn(_ origin: Origin, isMultiplexed: Bool) {
        guard let lane = lanes[origin], lane.isMultiplexed != isMultiplexed else { return }
        connections -= lane.connections
        lane.isMultiplexed = isMultiplexed
        connections += lane.connections
    }

    /// The waiting transfers that may run now.
    mutating func admit() -> [Transfer] {
        var admitted: [Transfer] = []
        var untouched = 0
        // Rounds over the origins until a whole round admits nothing.
        while untouched < waitingOrigins.count {
            let lane = lane(of: waitingOrigins[turn])
            if lane.waiting.isEmpty {
                (lane.isListed, lane.waiting) = (false, SlotQueue())
                waitingOrigins.remove(at: turn)
                if turn == waitingOrigins.count { turn = 0 }
                continue
            }
            if mayRun(in: lane), let next = lane.waiting.popFirst() {
                admitted.append(next)
                waitingCount -= 1
                changeRunning(in: lane, by: 1)
                untouched = 0
            } else {
                untouched += 1
            }
            turn = (turn + 1) % waitingOrigins.count
        }
        return admitted
    }

    private mutating func lane(of origin: Origin) -> Lane {
        if let lane = lanes[origin] { return lane }
        let lane = Lane()
        lanes[origin] = lane
        return lane
    }

    private func mayRun(in lane: Lane) -> Bool {
        if lane.isMultiplexed && lane.running > 0 { return lane.running < Self.streamLimit }
        return lane.running < perOrigin && connections < total
    }

    private mutating func changeRunning(in lane: Lane, by change: Int) {
        connections -= lane.connections
        lane.running += change
        connections += lane.connections
    }
}
