// SPDX-License-Identifier: MIT
internal import Glibc

extension SystemSocket {
    /// Listens on a port of `127.0.0.1`.
    ///
    /// - Parameter port: 0 lets the kernel choose.
    static func listenIPv4(port: UInt16) throws(OriginError) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return try listen(family: AF_INET, address: address)
    }

    /// Listens on a port of `::1` and of no IPv4 address.
    static func listenIPv6(port: UInt16) throws(OriginError) -> CInt {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return try listen(family: AF_INET6, address: address)
    }

    /// The port that a listening IPv4 socket has got.
    static func port(of listener: CInt) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            // `sockaddr_in` begins with the members of `sockaddr`, that is the contract of the socket calls.
            unsafe getsockname(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func listen<Address>(
        family: CInt, address: Address
    ) throws(OriginError) -> CInt {
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else {
            throw OriginError(.system, "No socket to be had: raise `ulimit -n`.", errorNumber: errno)
        }
        closeOnExec(descriptor)
        if family == AF_INET6 { set(CInt(1), level: CInt(IPPROTO_IPV6), option: IPV6_V6ONLY, on: descriptor) }
        // TCP_NOTSENT_LOWAT, which connections inherit: the system takes no more of a reply than is on its way and 128
        // KiB.
        set(CInt(131_072), level: CInt(IPPROTO_TCP), option: 25, on: descriptor)
        // Non-blocking, because a connection that is aborted between `poll` and `accept` would block the accept thread.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let bound = unsafe withUnsafeBytes(of: address) { bytes in
            // As above: every socket address begins with the members of `sockaddr`.
            unsafe bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard bound == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            let number = errno
            Glibc.close(descriptor)
            throw OriginError(.system, "The port is taken, or this user may not listen on it.", errorNumber: number)
        }
        return descriptor
    }
}
