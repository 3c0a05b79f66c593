// SPDX-License-Identifier: MIT
/// The bytes of one connection, with or without TLS.
///
/// Used by one thread.
protocol ByteStream {
    /// The socket, for waiting.
    var descriptor: CInt { get }

    /// Reads the received bytes; waits for at least one.
    ///
    /// - Returns: Nothing at the end of the stream.
    func receive(upTo limit: Int) throws(ConnectionEnd) -> [UInt8]

    /// Sends all bytes; waits for the peer to make room.
    func send(_ bytes: ArraySlice<UInt8>) throws(ConnectionEnd)

    /// Sends the closing message of the layer above the socket, if there is one.
    func sendCloseNotify()
}

/// A connection without TLS.
struct SocketStream: ByteStream {
    let descriptor: CInt

    func receive(upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
        try SystemSocket.receive(from: descriptor, upTo: limit)
    }

    func send(_ bytes: ArraySlice<UInt8>) throws(ConnectionEnd) {
        try SystemSocket.send(bytes, to: descriptor)
    }

    func sendCloseNotify() {}
}
