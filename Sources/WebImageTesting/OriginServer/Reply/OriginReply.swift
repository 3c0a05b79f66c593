// SPDX-License-Identifier: MIT
public import HTTPTransport

/// A reply of an ``OriginServer``, valid or broken.
///
/// Start with one of the static members, such as ``ok(_:type:)`` or ``redirect(to:status:)``, and add faults:
///
/// ```swift
/// OriginReply.ok(picture, type: "image/png").entityTag("\"v1\"").servingRanges()
/// OriginReply.ok(picture).chunked(byteCount: 1024).truncated(after: 5000)
/// OriginReply.ok(picture).dripping(byteCount: 100, every: .milliseconds(20))
/// ```
///
/// A reply has only the given fields: there are no `Date` and `Server` fields. `Content-Length` is added unless another
/// framing or length was set.
public struct OriginReply: Sendable {
    /// The status code.
    public var status: Int
    /// The reason phrase; `nil` stands for the usual one.
    public var reason: String?
    /// The header fields.
    ///
    /// Names and values are written as they are: line breaks in them inject header fields.
    public var headers: HTTPHeaders
    /// The body, before transfer coding and after content coding: to serve gzip, give gzip bytes and
    /// a `Content-Encoding` field.
    public var body: [UInt8]

    var conduct = Conduct()

    /// Creates a reply.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension OriginReply {
    /// How a reply is sent.
    struct Conduct: Sendable {
        /// What is sent at all.
        enum Form: Sendable {
            case response
            /// These bytes and no others, then the end.
            case verbatim([UInt8])
            /// Nothing, and the connection stays open.
            case silence
            /// Nothing, and the connection ends.
            case end(ConnectionEnd)
            /// Whatever the closure writes.
            case byHand(@Sendable (OriginWire) -> Void)
        }

        enum Framing: Sendable {
            case length
            /// `nil` makes one chunk of every piece that is sent.
            case chunked(byteCount: Int?, trailers: HTTPHeaders)
            case untilClose
        }

        struct Hold: Sendable {
            let gate: OriginGate
            let byteCount: Int
        }

        struct Drip: Sendable {
            let byteCount: Int
            let interval: Duration
        }

        struct Interim: Sendable {
            let status: Int
            let headers: HTTPHeaders
            let count: Int
        }

        var form = Form.response
        var headGate: OriginGate?
        var headDelay = Duration.zero
        var interims: [Interim] = []
        var framing = Framing.length
        var claimedLengths: [String]?
        var holds: [Hold] = []
        var drip: Drip?
        /// Where the body ends, and how; without an end the connection stays open.
        var cut: (byteCount: Int, end: ConnectionEnd?)?
        var isEndless = false
        /// Whether the reply says that the connection closes after it; `nil` when nothing asks for that.
        var closing: Bool?
        var servesRanges = false
    }
}
