// SPDX-License-Identifier: MIT
import EventLoops

/// A connection of a client, and the request that it carries.
///
/// The requests of a connection are handled one after the other, so there is one at most. A class, because the task of
/// a request changes the connection that it is for; isolated state of ``HTTPServer``.
final class Connection {
    enum Phase {
        /// Waits for a head, or for the rest of one.
        case reading
        /// A task makes the answer.
        case working(Task<Void, Never>?)
        /// The client takes the answer.
        case sending
        /// The last answer is sent. What the client sends is dropped until it ends, so that the answer is not lost by a
        /// reset.
        case closing
        /// The descriptor is closed.
        case ended
    }

    /// A request from its head to the end of its answer.
    struct Exchange {
        let id: String
        let method: String
        let target: String
        /// The trace that the client named; empty for none.
        var trace = ""
        let began: UInt64
        /// Whether the client wants the connection to end after the answer.
        let closes: Bool
        /// Whether the request has version 1.0.
        let isOld: Bool
        var status = 0
        var notes: [Answer.Note] = []
        /// Whether the server ends the connection after the answer.
        var isLast = false

        init(id: String, head: RequestHead, began: UInt64) {
            self.id = id
            method = head.method.utf8.count <= 16 ? head.method : String(head.method.prefix(16))
            (target, closes, isOld) = (head.target, head.closes, head.isOld)
            self.began = began
        }
    }

    let descriptor: Int32
    /// The address of the client; empty for a Unix socket.
    let peer: String
    var phase = Phase.reading
    /// What ``EventLoop`` watches the descriptor for.
    var interest = Readiness.reading
    var requestCount = 0
    var exchange: Exchange?

    /// What the client has sent and no request has taken.
    var input: [UInt8] = []
    /// Where the present head begins in the input.
    var position = 0
    var search = HeadSearch()
    /// When the first byte of the present head came.
    var headBegan: UInt64 = 0
    /// When the head must have come, or the answer must have been taken, whatever the rate.
    var deadline: UInt64 = .max

    var output = Output()
    /// When the answer was made.
    var sendingBegan: UInt64 = 0
    /// The bytes that the client had taken at the last look, and when that was.
    var taken = (count: 0, at: UInt64(0))

    /// The neighbours in the line of idle connections, and since when this one is in it.
    var older: Connection?
    var newer: Connection?
    var idleSince: UInt64?

    init(descriptor: Int32, peer: String) {
        self.descriptor = descriptor
        self.peer = peer
    }

    /// The bytes of a head that has not come whole.
    var unfinishedCount: Int { input.count - position }

    /// What the log says about a request that ends now.
    func finished(_ status: Int, isComplete: Bool, at now: UInt64) -> FinishedRequest? {
        guard let exchange else { return nil }
        return FinishedRequest(
            id: exchange.id, trace: exchange.trace, peer: peer, method: exchange.method, target: exchange.target,
            status: status, byteCount: output.body.count, took: .nanoseconds(now - exchange.began),
            isComplete: isComplete, notes: exchange.notes)
    }

    /// Takes the bytes of a head out of the input.
    func removeHead(endingAt end: Int) {
        position = end
        if position == input.count {
            // A connection that waits keeps no large buffer.
            if input.capacity > 4_096 { input = [] } else { input.removeAll(keepingCapacity: true) }
            position = 0
        }
        search = HeadSearch(from: position)
    }

    /// Moves the bytes of an unfinished head to the front of the input.
    func compactInput() {
        guard position > 0 else { return }
        input.removeFirst(position)
        position = 0
        search = HeadSearch()
    }
}
