// SPDX-License-Identifier: MIT
/// The addresses that a client may connect to.
///
/// The client checks the *connected* address: when it makes a connection, after the name was resolved, and again before
/// a request uses an earlier connection. So a name, a redirect or a DNS answer that changes between check and use
/// cannot bypass the policy.
public struct AddressPolicy: Sendable, Hashable {
    /// The networks that are allowed besides the public Internet; `nil` for every address.
    private let allowedNetworks: [IPNetwork]?
    /// Networks that are refused although the rule allows them; default none.
    ///
    /// An IPv4 network also refuses its addresses in the IPv4-mapped form, and a network in that form those of IPv4.
    public var deniedNetworks: [IPNetwork] = []
    /// The only hosts to ask; default `nil`, every one.
    ///
    /// Hosts are judged as they are written in URLs, before they are looked up, in every request and redirect, also
    /// behind a proxy. `*.example.com` stands for every host below `example.com`.
    public var allowedHosts: Set<String>?
    /// Hosts that are never asked, written like ``allowedHosts``; default none.
    ///
    /// A name has other names and addresses, so this is no protection of a machine; ``deniedNetworks`` is.
    public var deniedHosts: Set<String> = []
    /// The only ports to connect to; default `nil`, every one.
    public var allowedPorts: Set<Int>?
    /// Ports that are never connected to; default none.
    public var deniedPorts: Set<Int> = []

    private init(allowedNetworks: [IPNetwork]?) {
        self.allowedNetworks = allowedNetworks
    }

    /// Every address.
    ///
    /// For tools whose user chooses the URLs, never for untrusted URLs.
    public static let unrestricted = AddressPolicy(allowedNetworks: nil)

    /// Only addresses of the public Internet: no loopback, private, link-local, shared, multicast, reserved or
    /// documentation network, and no IPv6 form of such an IPv4 address.
    public static let publicInternet = AddressPolicy(allowedNetworks: [])

    /// The public Internet and these networks.
    ///
    /// An IPv4 network also admits its addresses in the IPv4-mapped form, and a network in that form those of IPv4.
    public static func publicInternet(allowing networks: [IPNetwork]) -> AddressPolicy {
        AddressPolicy(allowedNetworks: networks)
    }

    /// Whether a client with this policy may connect to the address.
    /// - Complexity: O(*n*) in the number of allowed networks.
    public func allows(_ address: IPAddress) -> Bool {
        reasonToRefuse(address) == nil
    }

    /// Why the address is refused, as a predicate ("is a private address"); `nil` when it is allowed.
    func reasonToRefuse(_ address: IPAddress) -> String? {
        if let network = deniedNetworks.first(where: { $0.covers(address) }) {
            return "is in the denied network \(network)"
        }
        guard let allowedNetworks else { return nil }
        return allowedNetworks.contains { $0.covers(address) } ? nil : address.reservation
    }

    /// Why a host or a port is refused, as a predicate; `nil` when both are allowed.
    /// - Complexity: O(*n*) in the number of labels of the host.
    func reasonToRefuse(host: String, port: Int) -> String? {
        if deniedPorts.contains(port) { return "has a denied port" }
        if let allowedPorts, !allowedPorts.contains(port) { return "has a port that is not allowed" }
        if !deniedHosts.isEmpty, Self.names(of: host).contains(where: { Self.contains($0, in: deniedHosts) }) {
            return "is a denied host"
        }
        if let allowedHosts, !Self.names(of: host).contains(where: { Self.contains($0, in: allowedHosts) }) {
            return "is no allowed host"
        }
        return nil
    }

    /// The host without the dot of a full name, and the patterns that cover it.
    private static func names(of host: String) -> [String] {
        (host.last == "." ? host.dropLast() : host[...]).withDomainPatterns
    }

    private static func contains(_ name: String, in hosts: Set<String>) -> Bool {
        hosts.contains(name) || hosts.contains { $0.isEqualIgnoringCase(to: name) }
    }

    /// Whether every address is allowed, so that no check is needed.
    var isUnrestricted: Bool { allowedNetworks == nil && deniedNetworks.isEmpty }
}
