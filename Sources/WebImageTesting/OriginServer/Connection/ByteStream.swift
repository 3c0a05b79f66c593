/// The bytes of one connection, with or without TLS.
///
/// Used by one thread.
protocol ByteStream: AnyObject {
    /// The socket, for waiting.
    var descriptor: CInt { get }

    /// Reads what has come, waiting for at least one byte.
    ///
    /// - Returns: Nothing at the end of the stream.
    func receive(upTo limit: Int) throws(ConnectionEnd) -> [UInt8]

    /// Sends everything, waiting for the peer to make room.
    func send(_ bytes: ArraySlice<UInt8>) throws(ConnectionEnd)

    /// Says farewell on the level above the socket, where there is one.
    func sayFarewell()
}

/// A connection without TLS.
final class SocketStream: ByteStream {
    let descriptor: CInt

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    func receive(upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
        try SystemSocket.receive(from: descriptor, upTo: limit)
    }

    func send(_ bytes: ArraySlice<UInt8>) throws(ConnectionEnd) {
        try SystemSocket.send(bytes, to: descriptor)
    }

    func sayFarewell() {}
}
