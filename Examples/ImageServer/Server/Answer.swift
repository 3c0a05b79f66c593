// SPDX-License-Identifier: MIT
/// What is sent to a client.
struct Answer: Sendable {
    /// A word about the answer for the log.
    struct Note: Sendable, Equatable {
        let name: String
        let value: String
    }

    var status: Int
    var fields: [(name: String, value: String)]
    /// Shared by all answers with the same picture.
    var body: [UInt8]
    /// The part of the body that is sent; all of it when `nil`.
    var range: Range<Int>?
    var notes: [Note] = []

    init(_ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The number of bytes that are sent.
    var byteCount: Int { range?.count ?? body.count }

    /// A text that no cache keeps.
    static func text(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") -> Answer {
        let fields = [("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        return Answer(status, fields, body: Array(text.utf8))
    }
}
