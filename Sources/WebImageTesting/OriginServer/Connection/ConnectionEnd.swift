// SPDX-License-Identifier: MIT
/// How a connection ends.
enum ConnectionEnd: Error, Equatable {
    /// The peer closed or reset it.
    case peer
    /// The server ends it in order: the sent bytes arrive, then the end of the stream.
    case orderly
    /// The server closes it without a TLS `close_notify`; the same as `orderly` without TLS.
    case cut
    /// The server resets it.
    case reset
    /// The TLS handshake failed.
    case handshake
    /// The server refuses a request.
    case refused(RequestFault)
}
