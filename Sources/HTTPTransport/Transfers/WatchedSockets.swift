// SPDX-License-Identifier: MIT
import EventLoops

/// The sockets that the event loop watches for libcurl.
///
/// libcurl withdraws a socket at the end of each transfer and announces it at the beginning of the next. A connection
/// stays registered in between, which saves two system calls a request. When something happens to it while no transfer
/// uses it, such as the end of the connection, it is unregistered; libcurl looks before it uses the connection again.
struct WatchedSockets {
    private struct Watch {
        /// The registered interest, which may be empty; `nil` when the socket is not registered.
        var interest: Readiness?
        /// Whether the client is told when the socket is closed, so that its number cannot be another's unnoticed.
        var isConnection = false
        /// Whether no transfer uses the socket.
        var isIdle = false
    }

    private let loop: EventLoop
    /// By descriptor.
    private var watches: [Watch] = []

    init(of loop: EventLoop) {
        self.loop = loop
    }

    /// Notes a new connection.
    mutating func opened(_ socket: Int32) {
        change(socket) { $0 = Watch(isConnection: true) }
    }

    /// Notes that a connection is about to be closed.
    mutating func willClose(_ socket: Int32) {
        unregister(socket)
        change(socket) { $0 = Watch() }
    }

    /// Watches a socket for a transfer.
    /// - Parameter token: The number of the actor that is told.
    /// - Returns: Whether the kernel agreed.
    mutating func announce(_ socket: Int32, for interest: Readiness, token: UInt32) -> Bool {
        let registered = self[socket].interest
        change(socket) { $0.isIdle = false }
        guard registered != interest else { return true }
        guard loop.watch(socket, for: interest, token: token, isNew: registered == nil) else { return false }
        change(socket) { $0.interest = interest }
        return true
    }

    /// Notes that no transfer uses a socket.
    mutating func withdraw(_ socket: Int32) {
        guard self[socket].isConnection else { return unregister(socket) }
        change(socket) { $0.isIdle = true }
    }

    /// Whether a socket that is ready is used by a transfer; unregisters it when it is not.
    mutating func isInUse(_ socket: Int32) -> Bool {
        guard self[socket].isIdle else { return true }
        unregister(socket)
        return false
    }

    private mutating func unregister(_ socket: Int32) {
        guard self[socket].interest != nil else { return }
        loop.forget(socket)
        change(socket) { $0.interest = nil }
    }

    private subscript(socket: Int32) -> Watch {
        watches.indices.contains(Int(socket)) ? watches[Int(socket)] : Watch()
    }

    private mutating func change(_ socket: Int32, _ change: (inout Watch) -> Void) {
        guard socket >= 0 else { return }
        let missing = Int(socket) + 1 - watches.count
        if missing > 0 { watches.append(contentsOf: repeatElement(Watch(), count: max(64, missing))) }
        change(&watches[Int(socket)])
    }
}
