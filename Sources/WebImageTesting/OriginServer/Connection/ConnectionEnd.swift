/// How a connection comes to its end.
enum ConnectionEnd: Error {
    /// The peer closed or reset it.
    case peer
    /// The server ends it in order: what was sent arrives, then the end of the stream.
    case orderly
    /// The server drops it without a farewell on the TLS level; the same as `orderly` without TLS.
    case cut
    /// The server resets it.
    case reset
    /// TLS was not agreed on.
    case handshake
}
