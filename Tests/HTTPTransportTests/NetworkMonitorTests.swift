// SPDX-License-Identifier: MIT
#if os(Linux)
import CTransportShims
import Foundation
import Glibc
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1)))
struct NetworkMonitorTests {
    private static let wired = NetworkState(ipv4: .init(name: "eth0", kind: .wired))

    /// The kernel's end of a socket, and the state that a probe finds.
    private final class Kernel: Sendable {
        let state: Mutex<NetworkState>
        let near: Int32
        let far: Int32

        init(_ state: NetworkState) {
            self.state = Mutex(state)
            var ends: [Int32] = [-1, -1]
            _ = unsafe socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0, &ends)
            (near, far) = (ends[0], ends[1])
        }

        func monitor() -> NetworkMonitor {
            NetworkMonitor(descriptor: near) { self.state.withLock { $0 } }
        }

        func report(_ state: NetworkState) {
            self.state.withLock { $0 = state }
            _ = unsafe send(far, [UInt8(1)], 1, 0)
        }

        deinit { close(far) }
    }

    @Test func `readers get the present state and each change`() async throws {
        let kernel = Kernel(NetworkState())
        let monitor = kernel.monitor()
        var states = monitor.changes().makeAsyncIterator()
        await expectEqual(states.next(), NetworkState())
        kernel.report(Self.wired)
        await expectEqual(states.next(), Self.wired)
        expect(monitor.state.isReachable)
        expect(NetworkState(ipv6: .init(name: "eth0", kind: .wired)).isReachable)
        // A report without a change is none.
        kernel.report(Self.wired)
        kernel.report(NetworkState())
        await expectEqual(states.next(), NetworkState())
        await monitor.shutdown()
        await expectNil(states.next())
        var late = monitor.changes().makeAsyncIterator()
        await expectEqual(late.next(), NetworkState())
        await expectNil(late.next())
    }

    @Test func `what changes before the watch begins is seen without a report`() async throws {
        let kernel = Kernel(NetworkState())
        let looks = Mutex(0)
        let monitor = NetworkMonitor(descriptor: kernel.near) {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            return look == 1 ? NetworkState() : Self.wired
        }
        try await monitor.waitUntilReachable()
        await monitor.shutdown()
    }

    @Test func `a waiting task goes on when there is a route`() async throws {
        let kernel = Kernel(NetworkState())
        let monitor = kernel.monitor()
        let waiting = Task { try await monitor.waitUntilReachable() }
        let cancelled = Task { try await monitor.waitUntilReachable() }
        cancelled.cancel()
        await expectError(CancellationError.self) { try await cancelled.value }
        kernel.report(Self.wired)
        try await waiting.value
        kernel.report(NetworkState())
        var states = monitor.changes().makeAsyncIterator()
        while await states.next()?.isReachable == true {}
        let late = Task { try await monitor.waitUntilReachable() }
        await monitor.shutdown()
        await expectHTTPError(.shutDown) { try await late.value }
    }

    @Test func `the kernel is asked and its socket is closed with the monitor`() async throws {
        let monitor = NetworkMonitor()
        let interfaces = [monitor.state.ipv4, monitor.state.ipv6].compactMap { $0 }
        expect(interfaces.allSatisfy { !$0.name.isEmpty })
        expectEqual(monitor.state.isReachable, !interfaces.isEmpty)
        await monitor.shutdown()
        let kernel = Kernel(Self.wired)
        let other = kernel.monitor()
        expectEqual(other.state, Self.wired)
        await other.shutdown()
        expectEqual(fcntl(kernel.near, F_GETFD), -1)
        let none = NetworkMonitor(descriptor: -1) { NetworkState() }
        expect(!none.state.isReachable)
        var ended = none.changes().makeAsyncIterator()
        await expectEqual(ended.next(), NetworkState())
        await expectNil(ended.next())
        await none.shutdown()
    }

    @Test func `looking for the way to the Internet leaves no descriptor open`() {
        let before = DescriptorTests.openOnes.count
        var name = [CChar](repeating: 0, count: 64)
        for _ in 0..<200 {
            for isIPv6 in [false, true] { _ = unsafe transport_route_interface(isIPv6, &name, name.count) }
            for interface in ["lo", "none"] { _ = unsafe transport_interface_kind(interface) }
        }
        expectEqual(unsafe transport_interface_kind("lo"), TRANSPORT_LOOPBACK)
        expectEqual(unsafe transport_interface_kind("none"), TRANSPORT_OTHER)
        // Other tests open and close some meanwhile.
        expect(DescriptorTests.openOnes.count, <, before + 100)
    }
}
#endif
