// SPDX-License-Identifier: MIT
import HTTPTransport

/// What this machine can reach, by its table of routes.
///
/// A route says nothing about the machines at its end, so use it to wait and to wake, never to refuse a request.
public struct NetworkState: Sendable, Hashable {
    /// The kind of an interface, where the system tells.
    public enum Kind: Sendable, Hashable {
        /// This machine alone.
        case loopback
        /// A cable, or a virtual one.
        case wired
        /// A wireless network.
        case wireless
        /// A tunnel or another kind.
        case other
    }

    /// An interface that leads to the public Internet.
    public struct Interface: Sendable, Hashable {
        /// The name, such as `eth0`.
        public let name: String
        /// The kind of network.
        public let kind: Kind
    }

    /// The interface for IPv4; `nil` without a route to the public Internet.
    public let ipv4: Interface?
    /// The interface for IPv6; `nil` without a route to the public Internet.
    public let ipv6: Interface?

    /// Creates a state, for tests.
    package init(ipv4: Interface? = nil, ipv6: Interface? = nil) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    /// Whether there is a route to the public Internet.
    public var isReachable: Bool { ipv4 != nil || ipv6 != nil }
}
