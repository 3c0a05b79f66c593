// SPDX-License-Identifier: MIT
/// Reads one request after the other from a connection.
///
/// Used by one thread.
struct RequestReader {
    private let stream: any ByteStream
    private let limits: OriginServer.Configuration
    private var buffer: [UInt8] = []
    private var position = 0

    init(stream: any ByteStream, limits: OriginServer.Configuration) {
        self.stream = stream
        self.limits = limits
    }

    /// Reads the next head.
    ///
    /// - Returns: `nil` when the peer closed the connection between two requests, or in the middle of a head.
    mutating func head() throws(ConnectionEnd) -> RequestHead? {
        buffer.removeFirst(position)
        position = 0
        var searched = 0
        // Empty lines before a request are passed over, and count in its head: RFC 9112, section 2.2.
        var start = 0
        while true {
            while searched < buffer.count {
                defer { searched += 1 }
                guard buffer[searched] == UInt8(ascii: "\n") else { continue }
                guard searched > 0, buffer[searched - 1] == UInt8(ascii: "\r") else {
                    throw .malformed("A line does not end with CR LF.")
                }
                if searched == start + 1 { start += 2 }
                guard searched - start >= 3, buffer[searched - 2] == UInt8(ascii: "\n") else { continue }
                let end = searched + 1
                guard end <= limits.maximumHeadByteCount else { throw .headTooLarge }
                position = end
                return try RequestHead(parsing: buffer[start..<end])
            }
            guard buffer.count <= limits.maximumHeadByteCount else { throw .headTooLarge }
            guard try fill() else { return nil }
        }
    }

    /// Reads the body that belongs to a head.
    ///
    /// - Returns: The beginning of the body up to the recorded limit, and its whole size.
    mutating func body(_ framing: RequestHead.Framing) throws(ConnectionEnd) -> (bytes: [UInt8], count: Int) {
        var body: (bytes: [UInt8], count: Int) = ([], 0)
        switch framing {
        case .length(let count):
            try take(count, into: &body)
        case .chunked:
            while true {
                let size = try chunkSize()
                if size == 0 { break }
                try take(size, into: &body)
                guard try line().isEmpty else { throw .malformed("A chunk is longer than announced.") }
            }
            var trailerByteCount = 0
            while true {
                let line = try line()
                if line.isEmpty { break }
                trailerByteCount += line.count
                guard trailerByteCount <= limits.maximumHeadByteCount else { throw .headTooLarge }
            }
        }
        return body
    }

    private mutating func chunkSize() throws(ConnectionEnd) -> Int {
        let digits = try line().prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard !digits.isEmpty, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw .malformed("A chunk's size is not a hexadecimal number.")
        }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
            throw .bodyTooLarge
        }
        return size
    }

    private mutating func line() throws(ConnectionEnd) -> ArraySlice<UInt8> {
        let limit = 4096
        while true {
            let rest = buffer[position...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                guard end > position, buffer[end - 1] == UInt8(ascii: "\r") else {
                    throw .malformed("A line does not end with CR LF.")
                }
                defer { position = end + 1 }
                return buffer[position..<end - 1]
            }
            guard rest.count <= limit else { throw .malformed("A line of the body is too long.") }
            guard try fill() else { throw .peer }
        }
    }

    private mutating func take(
        _ count: Int, into body: inout (bytes: [UInt8], count: Int)
    ) throws(ConnectionEnd) {
        guard count <= limits.maximumBodyByteCount - body.count else { throw .bodyTooLarge }
        body.count += count
        var rest = count
        while rest > 0 {
            if position == buffer.count {
                buffer.removeAll(keepingCapacity: true)
                position = 0
                guard try fill() else { throw .peer }
            }
            let taken = min(rest, buffer.count - position)
            let room = max(0, limits.maximumRecordedBodyByteCount - body.bytes.count)
            body.bytes += buffer[position..<position + min(taken, room)]
            position += taken
            rest -= taken
        }
    }

    private mutating func fill() throws(ConnectionEnd) -> Bool {
        let bytes = try stream.receive(upTo: 16 * 1024)
        buffer += bytes
        return !bytes.isEmpty
    }
}
