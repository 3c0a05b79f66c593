// SPDX-License-Identifier: MIT
internal import Glibc

/// The socket calls of the server, without `sockaddr` in their interface.
enum SystemSocket {
    /// Closes the descriptor in child processes.
    static func closeOnExec(_ descriptor: CInt) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Accepts one connection, or returns `nil` when none waits.
    ///
    /// - Returns: A blocking socket without Nagle's delay.
    static func accept(on listener: CInt) -> CInt? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        closeOnExec(descriptor)
        set(CInt(1), level: CInt(IPPROTO_TCP), option: TCP_NODELAY, on: descriptor)
        return descriptor
    }

    /// Makes the next close send a reset instead of an orderly end, dropping what was not delivered.
    static func resetOnClose(_ descriptor: CInt) {
        set(linger(l_onoff: 1, l_linger: 0), level: SOL_SOCKET, option: SO_LINGER, on: descriptor)
    }

    /// Ends both directions; a thread that is blocked on the socket wakes up.
    static func shutDown(_ descriptor: CInt) {
        Glibc.shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Ends the sending direction: the peer reads to the end of file.
    static func finishSending(_ descriptor: CInt) {
        Glibc.shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Closes the descriptor.
    static func close(_ descriptor: CInt) {
        Glibc.close(descriptor)
    }

    /// Reads the received bytes; waits for at least one.
    ///
    /// - Returns: Nothing at the end of the stream.
    static func receive(from descriptor: CInt, upTo limit: Int) throws(ConnectionEnd) -> [UInt8] {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            repeat {
                count = unsafe recv(descriptor, buffer.baseAddress, limit, 0)
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        guard count >= 0 else { throw .peer }
        return bytes
    }

    /// Sends all bytes; waits for the peer to make room.
    static func send(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) throws(ConnectionEnd) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .peer
            }
        }
    }

    /// Sets one socket option; a refusal is of no consequence for the options used here.
    static func set<Value: BitwiseCopyable>(_ value: Value, level: CInt, option: CInt, on descriptor: CInt) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}
