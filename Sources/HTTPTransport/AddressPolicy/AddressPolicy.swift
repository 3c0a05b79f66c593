/// Which addresses a client may talk to.
///
/// The policy is asked about the *connected* address: when a connection is made, after the name was resolved, and again
/// when a request is about to use a connection made earlier. Names, redirects and DNS answers which change between a
/// check and its use therefore cannot lead around it.
public struct AddressPolicy: Sendable, Hashable {
    private enum Rule: Hashable {
        case unrestricted
        case publicInternet(allowing: [IPNetwork])
    }

    private let rule: Rule

    /// Every address.
    ///
    /// For tools whose URLs come from their owner, never for URLs from outside.
    public static let unrestricted = AddressPolicy(rule: .unrestricted)

    /// Only addresses of the public Internet: no loopback, private, link-local, shared, multicast, reserved or
    /// documentation network, and no form of IPv6 that leads to one of those over IPv4.
    public static let publicInternet = AddressPolicy(rule: .publicInternet(allowing: []))

    /// The public Internet and these networks.
    ///
    /// An IPv4 network also admits its addresses in the IPv4-mapped form.
    public static func publicInternet(allowing networks: [IPNetwork]) -> AddressPolicy {
        AddressPolicy(rule: .publicInternet(allowing: networks))
    }

    /// Whether a client with this policy may talk to the address.
    /// - Complexity: O(*n*) in the number of allowed networks.
    public func allows(_ address: IPAddress) -> Bool {
        reasonToRefuse(address) == nil
    }

    /// Why the address is refused, as half a sentence ("is a private address"); `nil` when it is allowed.
    func reasonToRefuse(_ address: IPAddress) -> String? {
        guard case .publicInternet(let allowed) = rule else { return nil }
        let plain = address.unmapped
        if allowed.contains(where: { $0.contains(address) || $0.contains(plain) }) { return nil }
        return plain.reservation
    }

    /// Whether no address is ever refused, so that none needs a look.
    var isUnrestricted: Bool { rule == .unrestricted }
}
