// SPDX-License-Identifier: MIT
import Dispatch
import PlatformBasics

/// A small HTTP server on the loopback interface, for the pictures of the demonstration.
///
/// A connection has a thread of a queue, brings one request, and ends five seconds after its last byte at the latest.
final class PictureServer: Sendable {
    typealias Answer = @Sendable (_ path: String) -> (type: String, bytes: [UInt8])?

    let port: UInt16
    private let listener: Int32
    private let answer: Answer
    private let queue = DispatchQueue(label: "pictures", attributes: .concurrent)
    /// A connection each.
    private let places = DispatchSemaphore(value: 32)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: 0 lets the kernel choose.
    ///   - answer: Makes what a path leads to; `nil` for a path that leads nowhere.
    init(port: UInt16, answer: @escaping Answer) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SystemError.last }
        Self.set(SO_REUSEADDR, Int32(1), on: listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = unsafe withUnsafeMutableBytes(of: &address) { [listener] bytes in
            // A socket address begins with the members of `sockaddr`, by the contract of these calls.
            let start = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe bind(listener, start, size) == 0 && listen(listener, SOMAXCONN) == 0
                && getsockname(listener, start, &size) == 0
        }
        self.port = UInt16(bigEndian: address.sin_port)
        self.answer = answer
        guard listens else {
            let error = SystemError.last
            close(listener)
            throw error
        }
        queue.async { self.accept() }
    }

    /// Takes no more connections; those that are open end by themselves.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func accept() {
        while true {
            places.wait()
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 || errno == EINTR || errno == ECONNABORTED else { break }
            queue.async { [self] in
                serve(connection)
                close(connection)
                places.signal()
            }
        }
        places.signal()
        close(listener)
    }

    private func serve(_ connection: Int32) {
        let limit = timeval(tv_sec: 5, tv_usec: 0)
        Self.set(SO_RCVTIMEO, limit, on: connection)
        Self.set(SO_SNDTIMEO, limit, on: connection)
        var head: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while !head.suffix(part.count + 3).contains(Array("\r\n\r\n".utf8)) {
            let count = unsafe recv(connection, &part, part.count, 0)
            guard count > 0, head.count < 16_384 else { return }
            head += part.prefix(count)
        }
        let words = String(decoding: head, as: UTF8.self).prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count == 3, let path = words[1].split(separator: "?").first else { return }
        var (status, found) = ("200 OK", answer(String(path)))
        if found == nil { (status, found) = ("404 Not Found", ("text/plain", [])) }
        if !["GET", "HEAD"].contains(words[0]) { (status, found) = ("405 Method Not Allowed", ("text/plain", [])) }
        guard let found else { return }
        let fields = ["Content-Type: \(found.type)", "Content-Length: \(found.bytes.count)", "Connection: close"]
        var bytes = Array((["HTTP/1.1 " + status] + fields + ["", ""]).joined(separator: "\r\n").utf8)
        if words[0] != "HEAD" { bytes += found.bytes }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value, on descriptor: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}
