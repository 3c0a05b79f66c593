// SPDX-License-Identifier: MIT
import PlatformBasics

/// The bytes of an answer on their way to a client.
struct Output {
    enum Progress {
        case complete
        /// The system takes no more for now.
        case blocked
        /// The client has left.
        case failed
    }

    private(set) var head: [UInt8] = []
    /// The body, which all readers of a picture share.
    private(set) var body: ArraySlice<UInt8> = []
    private(set) var sentCount = 0

    init() {}

    init(head: [UInt8], body: ArraySlice<UInt8>) {
        self.head = head
        self.body = body
    }

    /// The bytes that the system has not taken.
    var restCount: Int { head.count + body.count - sentCount }

    /// Hands bytes to the system, without a copy of the body.
    ///
    /// At most half a megabyte a call, so that the other connections have their turn.
    mutating func send(to descriptor: Int32) -> Progress {
        while true {
            let count = sendOnce(descriptor)
            guard count >= 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? .blocked : .failed
            }
            sentCount += count
            return restCount == 0 ? .complete : .blocked
        }
    }

    private func sendOnce(_ descriptor: Int32) -> Int {
        let headStart = min(sentCount, head.count)
        let bodyStart = sentCount - headStart
        return unsafe head.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { body in
                let parts = unsafe (head.dropFirst(headStart), body.dropFirst(bodyStart).prefix(524_288))
                var pieces = unsafe (Self.piece(parts.0), Self.piece(parts.1))
                return unsafe withUnsafeMutableBytes(of: &pieces) { pieces in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = pieces.assumingMemoryBound(to: iovec.self).baseAddress
                    unsafe message.msg_iovlen = 2
                    return unsafe sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                }
            }
        }
    }

    private static func piece(_ bytes: Slice<UnsafeRawBufferPointer>) -> iovec {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: bytes)
        // The system reads from it only.
        return unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}

extension Answer {
    /// The head of the answer.
    ///
    /// A field with a control character is left out, so that no text ends the head before its time.
    func head(date: String, id: String, connection: String?) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(640)
        head += "HTTP/1.1 \(status) \(Self.title(status))\r\n".utf8
        Self.add("Date", date, to: &head)
        for (name, value) in fields where value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            Self.add(name, value, to: &head)
        }
        Self.add("X-Request-ID", id, to: &head)
        Self.add("Content-Length", String(byteCount), to: &head)
        if let connection { Self.add("Connection", connection, to: &head) }
        head += "\r\n".utf8
        return head
    }

    private static func add(_ name: String, _ value: String, to head: inout [UInt8]) {
        head += name.utf8
        head += ": ".utf8
        head += value.utf8
        head += "\r\n".utf8
    }
}
