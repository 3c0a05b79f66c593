// SPDX-License-Identifier: MIT
/// A request whose head has passed ``RequestCheck``.
struct ServerRequest: Sendable {
    /// The name of the request in the log and in problems.
    let id: String
    /// `GET` or `HEAD`.
    let method: String
    /// Path and query as they were sent.
    let target: String
    /// The fields, with names in lower case; equal names are joined by commas.
    let fields: [String: String]

    /// - Parameter fields: With names in lower case.
    init(id: String, method: String = "GET", target: String, fields: [(name: String, value: String)] = []) {
        self.id = id
        self.method = method
        self.target = target
        self.fields = Dictionary(fields.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
    }

    subscript(name: String) -> String? { fields[name] }

    /// The path without the query.
    var path: Substring { target.prefix { $0 != "?" } }
}

/// A request that has ended, for the log and the metrics.
struct FinishedRequest: Sendable {
    var id: String
    /// The address of the client; empty for a Unix socket.
    var peer: String
    var method: String
    var target: String
    /// The status of the answer; 499 when the client left before it, 408 when the head was late.
    var status: Int
    var byteCount: Int
    var took: Duration
    /// Whether the whole answer was handed to the system.
    var isComplete: Bool
    var notes: [Answer.Note]
}
