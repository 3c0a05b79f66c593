// SPDX-License-Identifier: MIT
/// A connection of a client, and the request that it carries.
///
/// libmicrohttpd handles the requests of a connection one after the other, so there is one at most. A class, because every
/// callback changes the one that it is for; isolated state of ``HTTPServer``.
final class Connection {
    enum Phase {
        /// No request line has come, or not the whole of it.
        case idle
        /// The request line is there.
        case arriving(Exchange)
        /// The head has passed the check.
        case checked(Exchange, RequestFields)
        /// A task makes the answer, and libmicrohttpd waits.
        case working(Exchange, Task<Void, Never>?)
        /// The answer is there.
        case answered(Exchange, Answer)
        /// The answer is being sent.
        case sending(Exchange, status: Int, byteCount: Int, [Answer.Note])
        /// The client left before its answer.
        case abandoned(Exchange)
    }

    /// A request from its first line to the end of its answer.
    final class Exchange {
        /// Different for every request of the server.
        let number: UInt64
        let id: String
        let target: String
        var method = ""
        var trace = ""
        let began: ContinuousClock.Instant

        init(number: UInt64, id: String, target: String, began: ContinuousClock.Instant) {
            (self.number, self.id, self.target, self.began) = (number, id, target, began)
        }
    }

    let descriptor: Int32
    let peer: String
    /// When the client must have sent its head, or taken its answer; `nil` while the server works.
    var deadline: ContinuousClock.Instant?
    var requestCount = 0
    /// Whether libmicrohttpd waits for ``HTTPServer``.
    var isSuspended = false
    /// Whether the client left while its request was worked on.
    var hasLeft = false
    var phase = Phase.idle

    init(descriptor: Int32, peer: String, deadline: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.peer = peer
        self.deadline = deadline
    }

    /// The request that the connection carries.
    var exchange: Exchange? {
        switch phase {
        case .idle: nil
        case .arriving(let exchange), .checked(let exchange, _), .working(let exchange, _),
            .answered(let exchange, _), .sending(let exchange, _, _, _), .abandoned(let exchange):
            exchange
        }
    }

    /// What the log says about a request that ends now.
    func finished(isComplete: Bool, at now: ContinuousClock.Instant) -> FinishedRequest? {
        guard let exchange else { return nil }
        var finished = FinishedRequest(
            id: exchange.id, trace: exchange.trace, peer: peer, method: exchange.method, target: exchange.target,
            status: 499, byteCount: 0,
            took: now - exchange.began, isComplete: false, notes: [])
        switch phase {
        case .arriving: finished.status = 408
        case .sending(_, let status, let byteCount, let notes):
            (finished.status, finished.byteCount) = (status, byteCount)
            (finished.notes, finished.isComplete) = (notes, isComplete)
        default: break
        }
        return finished
    }
}
