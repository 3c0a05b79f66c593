// SPDX-License-Identifier: MIT
/// All addresses that begin with the same bits: `10.0.0.0/8`, `fc00::/7`.
/// - Source: RFC 4632, section 3.1.
public struct IPNetwork: Sendable, Hashable {
    /// The first address; the bits after the prefix are zero.
    public let base: IPAddress
    /// The number of bits in the prefix, 0 … 32 or 0 … 128.
    public let prefixLength: Int

    /// Creates a network; bits after the prefix are cleared.
    /// - Returns: `nil` when the prefix is longer than the address.
    public init?(_ address: IPAddress, prefixLength: Int) {
        switch address {
        case .v4(let bits):
            guard (0...32).contains(prefixLength) else { return nil }
            base = .v4(bits & ~(UInt32.max >> UInt32(prefixLength)))
        case .v6(let bits):
            guard (0...128).contains(prefixLength) else { return nil }
            base = .v6(bits & ~(UInt128.max >> UInt128(prefixLength)))
        }
        self.prefixLength = prefixLength
    }

    /// Creates a network from `address/length`, or from an address alone, which is a network of one.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        guard parts.count == 2 else {
            let whole = if case .v4 = address { 32 } else { 128 }
            self.init(address, prefixLength: whole)
            return
        }
        guard parts[1].utf8.allSatisfy(\.isASCIIDigit), let length = Int(parts[1]) else { return nil }
        self.init(address, prefixLength: length)
    }

    /// Whether the address lies in the network.
    ///
    /// An IPv4 network never contains an IPv6 address, and vice versa.
    /// - Complexity: O(1).
    public func contains(_ address: IPAddress) -> Bool {
        IPNetwork(address, prefixLength: prefixLength)?.base == base
    }

    /// Whether the address lies in the network, where either may be in the IPv4-mapped form.
    func covers(_ address: IPAddress) -> Bool {
        let plain = address.unmapped
        if contains(address) || contains(plain) { return true }
        guard prefixLength >= 96, case .v4 = base.unmapped else { return false }
        return IPNetwork(base.unmapped, prefixLength: prefixLength - 96)?.contains(plain) == true
    }

    /// This machine: `127.0.0.0/8` and `::1`.
    public static let loopback = ["127.0.0.0/8", "::1/128"].map { IPNetwork($0)! }
}

extension IPNetwork: CustomStringConvertible {
    /// The address, a slash and the length.
    public var description: String { "\(base)/\(prefixLength)" }
}
