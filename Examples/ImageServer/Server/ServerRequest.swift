// SPDX-License-Identifier: MIT
/// A request whose head has passed ``RequestHead``.
struct ServerRequest: Sendable {
    /// The name of the request in the log and in problems.
    let id: String
    /// `GET` or `HEAD`.
    let method: String
    /// Path and query as they were sent.
    let target: String
    let fields: RequestFields

    init(id: String, method: String = "GET", target: String, fields: RequestFields = RequestFields()) {
        self.id = id
        self.method = method
        self.target = target
        self.fields = fields
    }

    /// The path without the query.
    var path: Substring {
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        return target[..<end]
    }

    /// Whether the request asks how the server is, which is answered however busy it is.
    var isProbe: Bool { path == "/health" || path == "/ready" }
}

/// A request that has ended, for the log and the metrics.
struct FinishedRequest: Sendable {
    var id: String
    /// The trace that the client named in `traceparent`; empty for none.
    var trace = ""
    /// The address of the client; empty for a Unix socket.
    var peer: String
    var method: String
    var target: String
    /// The status of the answer; 499 when the client left before it, 408 when the head was late or slow.
    var status: Int
    var byteCount: Int
    var took: Duration
    /// Whether the whole answer was handed to the system.
    var isComplete: Bool
    var notes: [Answer.Note]
}
