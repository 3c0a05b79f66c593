// SPDX-License-Identifier: MIT
#if os(Linux)
import CTransportShims
import EventLoops
import Glibc
import HTTPTransport

/// The socket on which the kernel reports changes of links, addresses and routes: an actor on an event loop of its own.
actor NetworkWatch: LoopResident {
    nonisolated let loop = EventLoop(name: "network-watch")
    nonisolated let board: NetworkBoard
    nonisolated private let descriptor: Int32
    private let probe: @Sendable () -> NetworkState

    init(descriptor: Int32, probe: @escaping @Sendable () -> NetworkState) {
        self.descriptor = descriptor
        self.probe = probe
        board = NetworkBoard(probe())
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Starts the thread; called once.
    /// - Returns: `false` when there is nothing to watch or no thread for it.
    nonisolated func start() -> Bool {
        if descriptor >= 0, loop.start([self]) { return true }
        if descriptor >= 0 { close(descriptor) }
        board.close()
        return false
    }

    // MARK: - Turns

    var hasMail: Bool { false }

    func loopBegins(with token: UInt32) {
        _ = loop.watch(descriptor, for: .reading, token: token, isNew: true)
        // What has changed before the descriptor was watched.
        board.publish(probe())
    }

    func takeTurn() -> UInt64? { nil }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        // The content of the messages does not matter, and a burst of them is one change. An error means that some
        // were lost, which is a change as well.
        var message: [UInt8] = Array(repeating: 0, count: 8 << 10)
        for _ in 0..<Self.burst {
            let count = unsafe recv(descriptor, &message, message.count, Int32(MSG_DONTWAIT))
            if count == 0 { loop.forget(descriptor) }
            guard count > 0 else { break }
        }
        board.publish(probe())
    }

    /// The number of messages after which other work has its turn.
    private static let burst = 256

    func loopEnds() {
        loop.forget(descriptor)
        close(descriptor)
        board.close()
    }
}

extension NetworkState {
    /// Asks the kernel for the routes to two addresses of the public Internet. Nothing is sent.
    static func probe() -> NetworkState {
        NetworkState(ipv4: interface(isIPv6: false), ipv6: interface(isIPv6: true))
    }

    private static func interface(isIPv6: Bool) -> Interface? {
        var name: [CChar] = Array(repeating: 0, count: 64)
        guard unsafe transport_route_interface(isIPv6, &name, name.count) else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let kind: Kind =
            switch unsafe transport_interface_kind(name) {
            case TRANSPORT_LOOPBACK: .loopback
            case TRANSPORT_WIRED: .wired
            case TRANSPORT_WIRELESS: .wireless
            default: .other
            }
        return Interface(name: text, kind: kind)
    }
}
#endif
