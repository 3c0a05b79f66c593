// SPDX-License-Identifier: MIT
public import HTTPTransport

extension OriginReply {
    /// Sends the body in the chunked transfer coding.
    ///
    /// - Parameters:
    ///   - byteCount: The size of each chunk but the last; `nil` makes a chunk of every piece that is sent, as
    ///     ``dripping(byteCount:every:)`` cuts them.
    ///   - trailers: Fields after the last chunk.
    /// - Source: RFC 9112, section 7.1.
    public func chunked(byteCount: Int? = nil, trailers: HTTPHeaders = [:]) -> OriginReply {
        changed { $0.conduct.framing = .chunked(byteCount: byteCount.map { max(1, $0) }, trailers: trailers) }
    }

    /// Sends neither a length nor a transfer coding: the body ends with the connection.
    package func untilClose() -> OriginReply {
        changed { $0.conduct.framing = .untilClose }
    }

    /// Announces a false length: too long, too short, negative, or not a number.
    ///
    /// Several values make several `Content-Length` fields. The true body is sent, then the connection is closed.
    ///
    /// Together with ``chunked(byteCount:trailers:)`` the reply has both framings, which no honest server sends.
    package func claimingLength(_ values: String...) -> OriginReply {
        changed { $0.conduct.claimedLengths = values }
    }

    /// Sends the body in pieces.
    ///
    /// - Parameters:
    ///   - byteCount: The size of each piece.
    ///   - interval: The pause between two pieces.
    public func dripping(byteCount: Int, every interval: Duration) -> OriginReply {
        changed { $0.conduct.drip = .init(byteCount: max(1, byteCount), interval: interval) }
    }

    /// Holds the reply at a gate inside the body.
    ///
    /// Several gates at several places are possible.
    ///
    /// - Parameters:
    ///   - gate: Where the reply waits.
    ///   - byteCount: How many bytes of the body leave before; 0 lets the head leave alone.
    public func held(at gate: OriginGate, afterBodyBytes byteCount: Int) -> OriginReply {
        changed { reply in
            reply.conduct.holds.append(.init(gate: gate, byteCount: max(0, byteCount)))
            reply.conduct.holds.sort { $0.byteCount < $1.byteCount }
        }
    }

    /// Ends the connection inside the body, which was announced in full.
    ///
    /// The end is orderly in TCP, and without `close_notify` in TLS. In the chunked coding the last chunk is missing;
    /// the one before it is short unless `byteCount` falls on a boundary.
    ///
    /// - Parameter byteCount: How many bytes of the body leave before.
    public func truncated(after byteCount: Int) -> OriginReply {
        changed { $0.conduct.cut = (max(0, byteCount), .cut) }
    }

    /// Resets the connection inside the body.
    ///
    /// - Parameter byteCount: How many bytes of the body leave before. The kernel drops those the peer has no room
    ///   for; what arrived may be dropped by the peer's kernel.
    public func reset(after byteCount: Int) -> OriginReply {
        changed { $0.conduct.cut = (max(0, byteCount), .reset) }
    }

    /// Stops inside the body and keeps the connection open.
    ///
    /// - Parameter byteCount: How many bytes of the body leave before; 0 lets the head leave alone.
    public func stalled(after byteCount: Int) -> OriginReply {
        changed { $0.conduct.cut = (max(0, byteCount), nil) }
    }

    /// Repeats the body until the peer closes the connection.
    ///
    /// An empty body becomes zeros.
    ///
    /// Without a framing or a claimed length the body ends with the connection.
    public func endless() -> OriginReply {
        changed { $0.conduct.isEndless = true }
    }
}
