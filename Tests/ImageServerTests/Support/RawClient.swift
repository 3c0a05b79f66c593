// SPDX-License-Identifier: MIT
import Foundation

/// A connection on which a test writes what no HTTP client writes. Its calls block, so each runs on a thread of its own
/// and not on those of the concurrency runtime.
final class RawClient: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "raw client")

    init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = descriptor
        let result = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let text = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: text) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = descriptor
        let result = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// - Returns: Whether all bytes were taken.
    @discardableResult
    func send(_ text: String) async -> Bool {
        let bytes = Array(text.utf8)
        return await onQueue { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// What the server sends until it ends the connection, or until `end` has come.
    func receive(until end: String? = nil) async -> String {
        String(decoding: await receiveBytes(until: end), as: UTF8.self)
    }

    func receiveBytes(until end: String? = nil) async -> [UInt8] {
        await onQueue { [descriptor] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
                if count <= 0 { break }
                bytes += buffer[..<count]
                if let end, String(decoding: bytes, as: UTF8.self).contains(end) { break }
            }
            return bytes
        }
    }

    /// Sends `text` again and again until the server ends the connection.
    func dripUntilEnd(_ text: String) async {
        while await send(text) {
            let hasEnded = await onQueue { [descriptor] in
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                return unsafe poll(&entry, 1, 10) > 0
            }
            if hasEnded { return }
        }
    }

    /// Ends the connection, as a client does that leaves.
    func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Ends the direction to the server.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends a request and returns the status of the answer; 0 for a connection that is ended without one.
    func status(of request: String) async -> Int {
        await send(request)
        let answer = await receive(until: "\r\n")
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
    }
}
