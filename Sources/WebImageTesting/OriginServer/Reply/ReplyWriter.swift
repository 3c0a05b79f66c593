// SPDX-License-Identifier: MIT
/// Sends one reply.
///
/// Used by one thread.
struct ReplyWriter {
    let stream: any ByteStream
    let reply: OriginReply
    let request: OriginRequest
    /// Whether the client allows another request on the connection.
    let allowsReuse: Bool
    let openRequest: OpenRequest

    private var conduct: OriginReply.Conduct { reply.conduct }

    /// Sends the reply.
    ///
    /// - Throws: How the connection ends, when it does not stay open for another request.
    func write() throws(ConnectionEnd) {
        if let gate = conduct.headGate { try gate.hold(stream.descriptor) }
        if conduct.headDelay > .zero { try SystemSocket.wait(on: stream.descriptor, for: conduct.headDelay) }
        switch conduct.form {
        case .response:
            try respond()
        case .verbatim(let bytes):
            openRequest.finish()
            try stream.send(bytes[...])
            throw .orderly
        case .silence:
            try SystemSocket.wait(on: stream.descriptor)
        case .end(let end):
            openRequest.finish()
            throw end
        case .byHand(let conversation):
            let wire = OriginWire(stream)
            conversation(wire)
            openRequest.finish()
            if let end = wire.end ?? (allowsReuse ? nil : .orderly) { throw end }
        }
    }

    private func respond() throws(ConnectionEnd) {
        try sendInterims()
        let closes = closesAfterwards
        let announcesClose = conduct.claimedLengths == nil && (conduct.closing ?? closes)
        let head = ReplyHead(reply: reply, announcesClose: announcesClose, isChunked: isChunked)
        if request.method == "HEAD" || !head.allowsBody {
            openRequest.finish()
            try stream.send(head.bytes[...])
        } else {
            var body = BodyWriter(
                stream: stream, reply: reply, isChunked: isChunked, openRequest: openRequest, pending: head.bytes)
            try body.write()
        }
        if closes { throw .orderly }
    }

    private var isChunked: Bool {
        if case .chunked = conduct.framing { return request.version == "HTTP/1.1" }
        return false
    }

    private var closesAfterwards: Bool {
        if !allowsReuse || conduct.closing != nil || conduct.claimedLengths != nil { return true }
        if case .untilClose = conduct.framing { return true }
        if case .length = conduct.framing { return conduct.isEndless }
        return false
    }

    private func sendInterims() throws(ConnectionEnd) {
        for interim in conduct.interims {
            let bytes = ReplyHead.bytes(status: interim.status, reason: nil, fields: interim.headers)
            for _ in 0..<interim.count { try stream.send(bytes[...]) }
        }
    }
}
