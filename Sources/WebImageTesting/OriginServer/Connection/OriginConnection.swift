// SPDX-License-Identifier: MIT
import HTTPTransport
internal import TaskCoordination

/// One connection from its first byte to its end.
///
/// Used by one thread.
struct OriginConnection {
    let number: Int
    let stream: any ByteStream
    let configuration: OriginServer.Configuration
    let script: OriginScript
    let record: OriginRecord
    let connections: ConnectionTable

    /// Serves a connection on the calling thread.
    static func serve(
        _ descriptor: CInt, number: Int, security: TLSContext?, configuration: OriginServer.Configuration,
        script: OriginScript, record: OriginRecord, connections: ConnectionTable
    ) -> ConnectionEnd {
        do throws(ConnectionEnd) {
            if let gate = configuration.connectionGate { try gate.hold(descriptor) }
            if !configuration.greeting.isEmpty { try SystemSocket.send(configuration.greeting[...], to: descriptor) }
            let stream: any ByteStream
            if let security {
                stream = try security.accept(descriptor)
            } else {
                stream = SocketStream(descriptor: descriptor)
            }
            return OriginConnection(
                number: number, stream: stream, configuration: configuration, script: script, record: record,
                connections: connections
            ).serve()
        } catch {
            // The alert with the reason must arrive.
            if error == .handshake { linger(descriptor) }
            return error
        }
    }

    /// Serves request after request, and returns how the connection ends.
    ///
    /// The descriptor is left open.
    private func serve() -> ConnectionEnd {
        let end = lastRequest()
        switch end {
        case .peer, .handshake, .refused: break
        case .reset: SystemSocket.resetOnClose(stream.descriptor)
        case .orderly:
            stream.sendCloseNotify()
            Self.linger(stream.descriptor)
        case .cut: Self.linger(stream.descriptor)
        }
        return end
    }

    private func lastRequest() -> ConnectionEnd {
        var reader = RequestReader(stream: stream, limits: configuration)
        do {
            while true { try serveRequest(&reader) }
        } catch .refused(let fault) {
            return refuse(fault)
        } catch {
            return error
        }
    }

    private func serveRequest(_ reader: inout RequestReader) throws(ConnectionEnd) {
        defer { connections.note(number, isIdle: true) }
        let (request, allowsReuse) = try nextRequest(&reader)
        let openRequest = OpenRequest(record: record)
        defer { openRequest.finish() }
        let reply = ConditionalReply(reply: script.reply(to: request), request: request).resolved()
        let writer = ReplyWriter(
            stream: stream, reply: reply, request: request, allowsReuse: allowsReuse, openRequest: openRequest)
        try writer.write()
    }

    /// Reads and records a request.
    private func nextRequest(
        _ reader: inout RequestReader
    ) throws(ConnectionEnd) -> (request: OriginRequest, allowsReuse: Bool) {
        guard let head = try reader.head() else { throw .peer }
        if head.expectsContinue && head.framing != .length(0) {
            try stream.send(ReplyHead.bytes(status: 100, reason: nil, fields: [:])[...])
        }
        let body = try reader.body(head.framing)
        connections.note(number, isIdle: false)
        let (path, query) = head.pathAndQuery
        let request = OriginRequest(
            number: 0, attempt: 0, connection: number, method: head.method, target: head.target, path: path,
            query: query, version: head.version, headers: head.headers, body: body.bytes,
            bodyByteCount: body.count)
        return (record.add(request), head.allowsReuse)
    }

    /// Tells the peer what is wrong with its request.
    private func refuse(_ fault: RequestFault) -> ConnectionEnd {
        record.state.change { $0.refusedRequests += 1 }
        let reply = OriginReply.text(fault.message + "\n", status: fault.status)
        let head = ReplyHead(reply: reply, announcesClose: true, isChunked: false)
        do {
            try stream.send((head.bytes + reply.body)[...])
            return .orderly
        } catch {
            return error
        }
    }

    /// Ends the sending direction and reads what the peer still sends: closing with unread bytes would reset the
    /// connection, and the reset would overtake the reply.
    ///
    /// Bounded in time and in bytes.
    ///
    /// - Source: RFC 9112, section 9.6.
    private static func linger(_ descriptor: CInt) {
        SystemSocket.finishSending(descriptor)
        var rest = 4 * 1024 * 1024
        while rest > 0, SystemSocket.waitForBytes(on: descriptor, for: .seconds(1)) {
            guard let bytes = try? SystemSocket.receive(from: descriptor, upTo: 64 * 1024), !bytes.isEmpty
            else { return }
            rest -= bytes.count
        }
    }
}
