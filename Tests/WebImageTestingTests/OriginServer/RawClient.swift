// SPDX-License-Identifier: MIT
import Glibc
import Testing
import WebImageTesting

/// A socket to an origin: it sends and receives bytes unchanged.
///
/// Reads block, which is safe because the server has threads of its own; a receive time-out ends a read that fails.
final class RawClient {
    private(set) var descriptor: CInt

    /// - Parameter sendBuffer: About the number of bytes that the kernel takes before the peer has room for them.
    init(_ origin: OriginServer, sendBuffer: CInt? = nil) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        if var sendBuffer {
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_SNDBUF, &sendBuffer, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(origin.port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        try #require(connected == 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    /// Closes the socket; later calls do nothing.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Sends the text unchanged.
    func send(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            try #require(count > 0)
            bytes = bytes.dropFirst(count)
        }
    }

    /// Sends a request without a body.
    func get(_ target: String, method: String = "GET", _ fields: String...) throws {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// The end of a read.
    enum End: Equatable { case data, endOfStream, reset, nothing }

    /// Reads the received bytes; waits for at least one.
    func read(upTo limit: Int = 65536, flags: CInt = 0) -> (bytes: [UInt8], end: End) {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(descriptor, &buffer, limit, flags)
        if count > 0 { return (Array(buffer.prefix(count)), .data) }
        if count == 0 { return ([], .endOfStream) }
        return ([], errno == ECONNRESET ? .reset : .nothing)
    }

    /// Whether there is nothing to read now, and the connection is open.
    var isQuiet: Bool { read(upTo: 1, flags: CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)).end == .nothing }

    /// Reads exactly that many bytes, or up to the end of the stream.
    func read(exactly count: Int) -> String {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let (more, end) = read(upTo: count - bytes.count)
            if end != .data { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads up to and including an empty line.
    func readHead() -> String {
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            let byte = read(exactly: 1)
            if byte.isEmpty { break }
            head += byte
        }
        return head
    }

    /// Reads up to the end of the stream, however it ends.
    func readToEnd() -> (text: String, end: End) {
        var bytes: [UInt8] = []
        while true {
            let (more, end) = read()
            if end != .data { return (String(decoding: bytes, as: UTF8.self), end) }
            bytes += more
        }
    }
}
