// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImageTesting

// What the server asks the system.
extension HTTPServer {
    /// Takes a connection that waits at a socket.
    /// - Returns: Its descriptor, or -1 with `errno`.
    static func accept(_ listener: Int32, _ address: inout sockaddr_storage) -> Int32 {
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe PlatformBasics.accept(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
        }
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    /// The numeric form of an address; empty for a Unix socket.
    static func text(of address: sockaddr_storage) -> String {
        var address = address
        // The address has its place behind the port, and behind the port and the flow label.
        let place: Int
        switch Int32(address.ss_family) {
        case AF_INET: place = 4
        case AF_INET6: place = 8
        default: return ""
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        unsafe withUnsafeBytes(of: &address) { bytes in
            _ = unsafe inet_ntop(
                place == 4 ? AF_INET : AF_INET6, bytes.baseAddress! + place, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Whether a descriptor has one of these events, or an end, now.
    static func hasEvent(_ descriptor: Int32, _ events: Int16) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// The bytes that the system has taken for a client, and the client has not.
    static func unsentByteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }
}

extension Duration {
    /// In nanoseconds; a day at most.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return seconds < 0 ? 0 : UInt64(min(seconds, 86_400)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

/// The names of requests in the log.
///
/// Numbers of a sequence that begins at random and visits each number once, so that a name costs no call of the system.
struct RequestID {
    private static let digits: [16 of UInt8] = [
        0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
    ]
    private var numbers = SeededGenerator(seed: .random(in: 0...UInt64.max))

    /// 16 hexadecimal digits.
    mutating func next() -> String {
        let number = numbers.next()
        return unsafe String(unsafeUninitializedCapacity: 16) { text in
            for place in 0..<16 { unsafe text[place] = Self.digits[Int(number >> UInt64(60 - place * 4) & 15)] }
            return 16
        }
    }
}
