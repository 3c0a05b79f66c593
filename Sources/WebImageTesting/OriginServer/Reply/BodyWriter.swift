// SPDX-License-Identifier: MIT
import HTTPTransport

/// Sends the body of a reply in pieces, with the scripted faults.
///
/// Used by one thread.
struct BodyWriter {
    private static let pieceLimit = 64 * 1024

    private let stream: any ByteStream
    private let conduct: OriginReply.Conduct
    private let openRequest: OpenRequest
    private let isChunked: Bool
    /// The bytes of the body; an endless one starts again after the end.
    private let source: [UInt8]
    private var holds: ArraySlice<OriginReply.Conduct.Hold>

    /// The bytes to send with the next piece: the head first, then framing.
    private var pending: [UInt8]
    private var pendingBodyBytes = 0
    private var sent = 0
    private var restOfChunk = 0

    /// - Parameter pending: The head, which leaves together with the beginning of the body.
    init(
        stream: any ByteStream, reply: OriginReply, isChunked: Bool, openRequest: OpenRequest, pending: [UInt8]
    ) {
        self.stream = stream
        self.isChunked = isChunked
        self.openRequest = openRequest
        self.pending = pending
        conduct = reply.conduct
        source = conduct.isEndless ? Self.repeated(reply.body) : reply.body
        holds = conduct.holds[...]
    }

    /// Sends the body to its end, as its framing defines it.
    ///
    /// - Throws: How the connection ends, when it ends inside the body.
    mutating func write() throws(ConnectionEnd) {
        while true {
            try stopHere()
            guard let count = nextPiece() else { break }
            append(count)
            if let drip = conduct.drip, sent % drip.byteCount == 0, conduct.isEndless || sent < source.count {
                try flush()
                try SystemSocket.wait(on: stream.descriptor, for: drip.interval)
            } else if pending.count >= Self.pieceLimit && (conduct.isEndless || sent < source.count) {
                try flush()
            }
        }
        appendEnd()
        // Before the last bytes are sent: a client that has them may send a request on another connection at once, and
        // must not count with two open requests.
        openRequest.finish()
        try flush()
    }

    /// Holds or ends the reply where the script requires it.
    private mutating func stopHere() throws(ConnectionEnd) {
        while let hold = holds.first, hold.byteCount <= sent || (!conduct.isEndless && sent == source.count) {
            try flush()
            try hold.gate.hold(stream.descriptor)
            holds.removeFirst()
        }
        guard let cut = conduct.cut, sent >= cut.byteCount else { return }
        guard let end = cut.end else {
            try flush()
            return try SystemSocket.wait(on: stream.descriptor)
        }
        openRequest.finish()
        try flush()
        throw end
    }

    /// The size of the next piece: up to the nearest boundary.
    ///
    /// - Returns: `nil` at the end of the body.
    private func nextPiece() -> Int? {
        if !conduct.isEndless && sent == source.count { return nil }
        var count = min(Self.pieceLimit, source.count - sent % source.count)
        if let drip = conduct.drip { count = min(count, drip.byteCount - sent % drip.byteCount) }
        if let hold = holds.first { count = min(count, hold.byteCount - sent) }
        if let cut = conduct.cut { count = min(count, cut.byteCount - sent) }
        if restOfChunk > 0 {
            count = min(count, restOfChunk)
        } else if let size = chunkSize {
            count = min(count, size)
        }
        return count
    }

    private var chunkSize: Int? {
        guard isChunked, case .chunked(let byteCount, _) = conduct.framing else { return nil }
        return byteCount
    }

    private mutating func append(_ count: Int) {
        if isChunked && restOfChunk == 0 {
            restOfChunk = chunkSize.map { conduct.isEndless ? $0 : min($0, source.count - sent) } ?? count
            pending += Array("\(String(restOfChunk, radix: 16))\r\n".utf8)
        }
        let start = conduct.isEndless ? sent % source.count : sent
        pending += source[start..<start + count]
        pendingBodyBytes += count
        sent += count
        if isChunked {
            restOfChunk -= count
            if restOfChunk == 0 { pending += [0x0d, 0x0a] }
        }
    }

    private mutating func appendEnd() {
        guard isChunked, case .chunked(_, let trailers) = conduct.framing else { return }
        pending += Array("0\r\n".utf8)
        for field in trailers { pending += Array("\(field.name): \(field.value)\r\n".utf8) }
        pending += [0x0d, 0x0a]
    }

    private mutating func flush() throws(ConnectionEnd) {
        guard !pending.isEmpty else { return }
        try stream.send(pending[...])
        openRequest.addBodyBytes(pendingBodyBytes)
        pending.removeAll(keepingCapacity: true)
        pendingBodyBytes = 0
    }

    /// The body, repeated so often that a piece is not tiny.
    private static func repeated(_ body: [UInt8]) -> [UInt8] {
        guard !body.isEmpty else { return [UInt8](repeating: 0, count: pieceLimit) }
        return ImageFactory.repeated(body, max(1, pieceLimit / body.count))
    }
}
