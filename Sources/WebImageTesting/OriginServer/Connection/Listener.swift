// SPDX-License-Identifier: MIT
internal import Glibc

/// The listening sockets of a server and the thread that accepts from them.
final class Listener: Sendable {
    /// The port, the same for IPv4 and IPv6.
    let port: UInt16
    private let latch = Latch()
    private let thread: SystemThread

    /// Creates a listener that accepts connections until ``stop()``.
    ///
    /// - Parameters:
    ///   - interval: How often the connections are looked at while no new one comes.
    ///   - connections: Asked before each `accept`; a connection for which it has no room waits in the kernel's queue.
    ///   - accepted: Runs on the accept thread and owns the socket it gets.
    init(
        port: UInt16 = 0, withIPv6: Bool, interval: Duration? = nil, connections: ConnectionTable,
        accepted: @escaping @Sendable (CInt) -> Void
    ) throws(OriginError) {
        let (port, sockets) = try Self.open(port, withIPv6: withIPv6)
        self.port = port
        do {
            guard let wake = try latch.descriptor() else { preconditionFailure("a latch is born closed") }
            thread = try SystemThread.start(stackByteCount: 256 * 1024) {
                Self.run(on: sockets, wake: wake, every: interval, connections, accepted: accepted)
            }
        } catch {
            for socket in sockets { SystemSocket.close(socket) }
            throw error
        }
    }

    /// Stops listening and waits for the thread.
    func stop() {
        latch.open()
        thread.join()
    }

    private static func open(_ wanted: UInt16, withIPv6: Bool) throws(OriginError) -> (UInt16, [CInt]) {
        var attempt = 0
        while true {
            attempt += 1
            let first = try SystemSocket.listenIPv4(port: wanted)
            let port = SystemSocket.port(of: first)
            guard withIPv6 else { return (port, [first]) }
            do {
                return (port, [first, try SystemSocket.listenIPv6(port: port)])
            } catch {
                // The port may be taken on `::1` alone; the kernel gives another one.
                SystemSocket.close(first)
                if attempt == 20 || wanted != 0 { throw error }
            }
        }
    }

    private static func run(
        on sockets: [CInt], wake: CInt, every interval: Duration?, _ connections: ConnectionTable,
        accepted: (CInt) -> Void
    ) {
        defer { for socket in sockets { SystemSocket.close(socket) } }
        while let ready = SystemSocket.waitForConnections(on: sockets, latch: wake, for: interval) {
            if ready.isEmpty { connections.endOverdue() }
            for listener in ready {
                if connections.hasRoom() {
                    if let socket = SystemSocket.accept(on: listener) {
                        accepted(socket)
                        continue
                    }
                    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { continue }
                    _ = connections.hasRoom(isShort: true)
                }
                // The connection stays in the kernel's queue until another one has ended.
                if SystemSocket.waitForBytes(on: wake, for: .milliseconds(1)) { return }
            }
        }
    }
}
