// SPDX-License-Identifier: MIT
/// The open connections of a server: by descriptor, the idle ones by age, and those whose clients have not taken their
/// answers.
///
/// - Complexity: O(1) for every operation but ``slowestReader(at:)``, which is O(*n*) in the waiting ones.
struct ConnectionTable {
    private var connections: [Int32: Connection] = [:]
    private var countOfPeer: [String: Int] = [:]
    private(set) var oldestIdle: Connection?
    private var newestIdle: Connection?
    private(set) var waiting: [Int32: Connection] = [:]
    /// The bytes of answers that wait for their readers.
    private(set) var waitingByteCount = 0

    var count: Int { connections.count }
    var all: some Collection<Connection> { connections.values }
    subscript(descriptor: Int32) -> Connection? { connections[descriptor] }
    func count(of peer: String) -> Int { countOfPeer[peer] ?? 0 }

    mutating func insert(_ connection: Connection) {
        connections[connection.descriptor] = connection
        if !connection.peer.isEmpty { countOfPeer[connection.peer, default: 0] += 1 }
    }

    mutating func remove(_ connection: Connection) {
        endIdling(connection)
        endWaiting(connection)
        guard connections.removeValue(forKey: connection.descriptor) != nil, !connection.peer.isEmpty else { return }
        let rest = count(of: connection.peer) - 1
        countOfPeer[connection.peer] = rest > 0 ? rest : nil
    }

    // MARK: - Idle ones

    /// Makes a connection the newest of the idle ones.
    mutating func beginIdling(_ connection: Connection, at now: UInt64) {
        endIdling(connection)
        connection.idleSince = now
        connection.older = newestIdle
        newestIdle?.newer = connection
        newestIdle = connection
        if oldestIdle == nil { oldestIdle = connection }
    }

    /// Makes a connection the oldest of the idle ones, whatever its age: its client has been told to come later.
    mutating func giveWayFirst(_ connection: Connection) {
        endIdling(connection)
        connection.idleSince = 0
        connection.newer = oldestIdle
        oldestIdle?.older = connection
        oldestIdle = connection
        if newestIdle == nil { newestIdle = connection }
    }

    mutating func endIdling(_ connection: Connection) {
        guard connection.idleSince != nil else { return }
        connection.idleSince = nil
        if let newer = connection.newer { newer.older = connection.older } else { newestIdle = connection.older }
        if let older = connection.older { older.newer = connection.newer } else { oldestIdle = connection.newer }
        (connection.older, connection.newer) = (nil, nil)
    }

    // MARK: - Waiting answers

    /// Notes an answer of which the client has not taken all.
    mutating func beginWaiting(_ connection: Connection) {
        waiting[connection.descriptor] = connection
        waitingByteCount += connection.output.restCount
    }

    /// Sends more of a waiting answer.
    mutating func push(_ connection: Connection) -> Output.Progress {
        let before = connection.output.restCount
        let progress = connection.output.send(to: connection.descriptor)
        waitingByteCount -= before - connection.output.restCount
        return progress
    }

    mutating func endWaiting(_ connection: Connection) {
        guard waiting.removeValue(forKey: connection.descriptor) != nil else { return }
        waitingByteCount -= connection.output.restCount
    }

    /// The reader that has taken the fewest bytes for its time.
    func slowestReader(at now: UInt64) -> Connection? {
        waiting.values.max { Self.slowness($0, now) < Self.slowness($1, now) }
    }

    /// A reader that has just begun counts as a quick one, also one that begins after the clock was read.
    private static func slowness(_ connection: Connection, _ now: UInt64) -> Double {
        (Double(now) - Double(connection.sendingBegan)) / Double(max(65_536, connection.output.sentCount))
    }
}
