// SPDX-License-Identifier: MIT
/// The connection of a request, for a reply that is written by hand: ``OriginReply/byHand(_:)``.
///
/// Used by the connection's thread alone. The connection stays open for another request unless ``close()`` or
/// ``reset()`` is called or the peer goes.
public final class OriginWire {
    private let stream: any ByteStream
    private(set) var end: ConnectionEnd?

    init(_ stream: any ByteStream) { self.stream = stream }

    /// Sends bytes as they are, and waits for the peer to make room.
    ///
    /// - Returns: Whether the peer still takes bytes.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        attempt { () throws(ConnectionEnd) in try stream.send(bytes[...]) }
    }

    /// Sends a text as UTF-8.
    ///
    /// - Returns: Whether the peer still takes bytes.
    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Waits at a gate.
    ///
    /// - Returns: Whether the peer is still there.
    @discardableResult
    public func hold(at gate: OriginGate) -> Bool {
        attempt { () throws(ConnectionEnd) in try gate.hold(stream.descriptor) }
    }

    /// Waits.
    ///
    /// - Returns: Whether the peer is still there.
    @discardableResult
    public func pause(for duration: Duration) -> Bool {
        attempt { () throws(ConnectionEnd) in
            try SystemSocket.wait(on: stream.descriptor, for: duration)
        }
    }

    /// Waits until the peer has closed the connection, and drops what it sends.
    public func waitForClose() {
        while let bytes = try? stream.receive(upTo: 4096), !bytes.isEmpty {}
        finish(.peer)
    }

    /// Ends the connection in order when the reply returns: what was written arrives.
    public func close() { finish(.orderly) }

    /// Resets the connection when the reply returns: what was written may be lost.
    public func reset() { finish(.reset) }

    private func attempt(_ body: () throws(ConnectionEnd) -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            finish(error)
            return false
        }
    }

    /// The first end counts.
    private func finish(_ end: ConnectionEnd) {
        if self.end == nil { self.end = end }
    }
}
