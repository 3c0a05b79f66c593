// SPDX-License-Identifier: MIT
internal import Glibc

extension SystemSocket {
    /// `POLLRDHUP`: the peer closed its sending side.
    ///
    /// A GNU extension, so the value of Linux's `poll.h` is repeated.
    private static let peerClosed: CShort = 0x2000

    /// Waits for a latch, for a time, for whichever comes first of both, or without either for the peer to leave.
    ///
    /// Bytes that the peer sends in the meantime stay unread.
    ///
    /// - Parameter latch: A descriptor from ``Latch/descriptor()``.
    /// - Throws: `.peer` when the peer closes its side, the connection breaks, or the server is being stopped.
    static func wait(on socket: CInt, latch: CInt? = nil, for duration: Duration? = nil) throws(ConnectionEnd) {
        let deadline = duration.map { ContinuousClock.now + $0 }
        while true {
            var watched = [pollfd(fd: socket, events: peerClosed, revents: 0)]
            if let latch { watched.append(pollfd(fd: latch, events: CShort(POLLIN), revents: 0)) }
            let timeout = deadline.map { milliseconds(until: $0) } ?? -1
            let count = unsafe poll(&watched, nfds_t(watched.count), timeout)
            if count > 0 {
                if watched[0].revents != 0 { throw .peer }
                return
            }
            if count == 0, let deadline, ContinuousClock.now >= deadline { return }
            if count < 0 && errno != EINTR { throw .peer }
        }
    }

    /// Waits until one of the listening sockets has a connection, or until the time is over.
    ///
    /// - Returns: The sockets that are ready; `nil` when the latch opened.
    static func waitForConnections(on listeners: [CInt], latch: CInt, for duration: Duration?) -> [CInt]? {
        var watched = listeners.map { pollfd(fd: $0, events: CShort(POLLIN), revents: 0) }
        watched.append(pollfd(fd: latch, events: CShort(POLLIN), revents: 0))
        let count = unsafe poll(&watched, nfds_t(watched.count), duration.map { milliseconds(until: .now + $0) } ?? -1)
        guard count > 0 else { return [] }
        if watched[listeners.count].revents != 0 { return nil }
        return watched.dropLast().filter { $0.revents != 0 }.map(\.fd)
    }

    /// Waits for bytes, the end of the stream, or the end of the time.
    ///
    /// - Returns: Whether a read would return at once.
    static func waitForBytes(on socket: CInt, for duration: Duration) -> Bool {
        var watched = pollfd(fd: socket, events: CShort(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, milliseconds(until: .now + duration)) > 0
    }

    /// Whether the peer has not taken all that was sent.
    static func hasUnsentBytes(_ socket: CInt) -> Bool {
        var count: CInt = 0
        return unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 && count > 0
    }

    /// The rest of the time, rounded up so that a wait is never short, in the range of `poll`.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> CInt {
        let rest = deadline - .now
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return CInt(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
