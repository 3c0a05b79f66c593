// SPDX-License-Identifier: MIT
import HTTPTransport

extension OriginReply {
    /// A reply with status 200.
    public static func ok(_ body: [UInt8], type: String = "application/octet-stream") -> OriginReply {
        OriginReply(headers: ["Content-Type": type], body: body)
    }

    /// A reply with a text for its body.
    public static func text(_ text: String, status: Int = 200) -> OriginReply {
        OriginReply(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// A reply with a status and no body.
    public static func status(_ status: Int) -> OriginReply {
        OriginReply(status: status)
    }

    /// A redirect.
    ///
    /// A path that redirects to itself is a loop; ``OriginServer/redirect(along:status:)`` makes longer ones.
    ///
    /// - Parameters:
    ///   - location: Written into the `Location` field as it is, malformed or not.
    ///   - status: Usually 301, 302, 303, 307 or 308.
    public static func redirect(to location: String, status: Int = 302) -> OriginReply {
        OriginReply(status: status, headers: ["Location": location])
    }

    /// These bytes in place of a reply, then the end of the connection: a garbled status line, half a head,
    /// a broken chunk.
    public static func verbatim(_ bytes: [UInt8]) -> OriginReply {
        OriginReply().changed { $0.conduct.form = .verbatim(bytes) }
    }

    /// Whatever a closure writes, in place of a reply: for what no other reply can say.
    ///
    /// - Parameter conversation: Runs on the thread of the connection and may block it.
    public static func byHand(_ conversation: @escaping @Sendable (OriginWire) -> Void) -> OriginReply {
        OriginReply().changed { $0.conduct.form = .byHand(conversation) }
    }

    /// Bytes that are no HTTP in place of a status line, then the end of the connection.
    public static var garbage: OriginReply { .verbatim([0, 1, 2] + Array("garbage\r\n\r\n".utf8)) }

    /// The connection is closed in order, without a reply.
    public static var hangUp: OriginReply { OriginReply().changed { $0.conduct.form = .end(.orderly) } }

    /// The connection is reset, without a reply.
    public static var reset: OriginReply { OriginReply().changed { $0.conduct.form = .end(.reset) } }

    /// The request is read and never answered.
    public static var silence: OriginReply { OriginReply().changed { $0.conduct.form = .silence } }
}
