// SPDX-License-Identifier: MIT
import PlatformBasics

/// Where a server listens.
enum ServerAddress: Sendable, Hashable {
    /// An address of this machine and a port; 0 lets the system choose one.
    case port(host: String, port: UInt16)
    /// The path of a Unix socket.
    case unix(path: String)
}

/// A socket that listens, before the server owns it.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    /// The port that the system chose; 0 for a Unix socket.
    let port: UInt16

    /// Opens a socket.
    ///
    /// A Unix socket that an earlier process left behind is replaced; one that a process still answers is not.
    /// - Parameter isShared: Whether other sockets of this user may listen on the same port; the system spreads
    ///   connections among them.
    /// - Throws: ``ServerError`` that names the address.
    init(_ address: ServerAddress, isShared: Bool = false) throws(ServerError) {
        switch address {
        case .unix(let path): (descriptor, port) = (try Self.open(path: path), 0)
        case .port(let host, let port): (descriptor, self.port) = try Self.open(host: host, port: port, isShared)
        }
    }

    private static func open(
        host: String, port: UInt16, _ isShared: Bool
    ) throws(ServerError) -> (Int32, UInt16) {
        let place = "\(host) port \(port)"
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0, let entry = unsafe found else {
            throw ServerError(message: "\"\(host)\" is no address to listen on; give an IPv4 or IPv6 address.")
        }
        defer { unsafe freeaddrinfo(entry) }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(entry.pointee.ai_family, flags, 0)
        guard descriptor >= 0 else { throw .system("No socket for \(place)") }
        var isOn: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        if isShared {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }
        // Connections inherit both: no answer waits for the acknowledgement of the one before, and the system takes no
        // more of an answer than is on its way and 128 KiB.
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var unsentLimit: Int32 = 131_072
        let option: Int32 = 25  // TCP_NOTSENT_LOWAT
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), option, &unsentLimit, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0,
            listen(descriptor, backlog) == 0
        else {
            let error = ServerError.system("The server cannot listen on \(place)")
            close(descriptor)
            throw error
        }
        return (descriptor, boundPort(descriptor))
    }

    private static func open(path: String) throws(ServerError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw ServerError(message: "The path of a Unix socket has 1 to 107 bytes, not \(bytes.count).")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        func attempt(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> (descriptor: Int32, result: Int32)
        {
            let descriptor = socket(AF_UNIX, flags, 0)
            let result = unsafe withUnsafeBytes(of: &address) { bytes in
                unsafe call(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, size)
            }
            return (descriptor, result)
        }
        // A socket that refuses connections belongs to a process that has ended. A file that is none refuses them, too.
        let probe = unsafe attempt { unsafe connect($0, $1, $2) }
        let isRefused = probe.result != 0 && errno == ECONNREFUSED
        var status = stat()
        if isRefused, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unsafe unlink(path) }
        close(probe.descriptor)
        let (descriptor, result) = unsafe attempt { unsafe bind($0, $1, $2) }
        guard result == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, listen(descriptor, backlog) == 0 else {
            let error = ServerError.system("The server cannot listen on \(path)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            guard unsafe getsockname(descriptor, pointer, &size) == 0 else { return 0 }
            // The port has the same place in the addresses of both families.
            return unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private static let backlog: Int32 = 4_096
}
