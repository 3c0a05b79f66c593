// SPDX-License-Identifier: MIT
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An IPv4 or IPv6 address, without port and zone.
public enum IPAddress: Sendable, Hashable {
    /// 32 bits, the first byte of the address in the highest place.
    case v4(UInt32)
    /// 128 bits, the first byte of the address in the highest place.
    case v6(UInt128)

    /// Creates an address of 4 or 16 bytes in network order; `nil` for any other count.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }

    /// The IPv4 address for an IPv4-mapped one (`::ffff:a.b.c.d`), and every other address unchanged.
    /// - Source: RFC 4291, section 2.5.5.2.
    var unmapped: IPAddress {
        guard case .v6(let bits) = self, bits >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: bits))
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or eight groups with the longest run of zeros left out.
    /// - Source: RFC 5952, section 4.
    public var description: String {
        switch self {
        case .v4(let bits):
            let bytes = [24, 16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: bits >> shift) }
            return bytes.map { String($0) }.joined(separator: ".")
        case .v6(let bits):
            let groups = (1...8).map { (index: Int) in UInt16(truncatingIfNeeded: bits >> (128 - 16 * index)) }
            let hex = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
            guard let zeros = Self.longestZeroRun(in: groups) else { return hex(groups[...]) }
            return hex(groups[..<zeros.lowerBound]) + "::" + hex(groups[zeros.upperBound...])
        }
    }

    /// The longest run of at least two zeros; the first one of equal length.
    private static func longestZeroRun(in groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        for end in 0...groups.count where end == groups.count || groups[end] != 0 {
            if end - start >= 2, end - start > (best?.count ?? 0) { best = start..<end }
            start = end + 1
        }
        return best
    }
}

extension IPAddress {
    /// Creates an address from its text: four decimal numbers, or groups of hexadecimal digits.
    ///
    /// Strict: `nil` for octal, hexadecimal and short forms of IPv4, and for brackets, ports and zones.
    /// - Complexity: O(*n*) in the length, which is bounded by 45 bytes.
    /// - Source: RFC 4291, section 2.2; RFC 6943, section 3.1.1 (why loose forms are dangerous).
    public init?(_ text: some StringProtocol) {
        let length = text.utf8.prefix(46).count
        // A zero byte would end the text for the system.
        guard length <= 45, !text.utf8.contains(0) else { return nil }
        let isV6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes: [UInt8] = Array(repeating: 0, count: isV6 ? 16 : 4)
        // The strict one of the system's readers.
        guard unsafe String(text).withCString({ unsafe inet_pton(isV6 ? AF_INET6 : AF_INET, $0, &bytes) }) == 1 else {
            return nil
        }
        self.init(bytes: bytes)
    }
}

/// The special-purpose registries of IANA (RFC 6890 and its updates), as far as a client must not use their addresses.
extension IPAddress {
    /// What the address is reserved for, as a predicate; `nil` for an address of the public Internet.
    /// - Complexity: O(1): a fixed table.
    var reservation: String? {
        switch unmapped {
        case .v4: Self.reservedV4.first { $0.network.contains(unmapped) }?.reason
        case .v6(let bits): Self.reservation(ofV6: bits)
        }
    }

    private typealias Reservation = (network: IPNetwork, reason: String)

    /// Networks with the predicates of their addresses. Of two that overlap the first one counts.
    private static func reservations(_ predicates: KeyValuePairs<String, String>) -> [Reservation] {
        // The texts are constants of this file, and each is a network.
        predicates.map { (IPNetwork($0.key)!, "\($0.value) (\($0.key))") }
    }

    private static let reservedV4 = reservations([
        "0.0.0.0/8": "is an address of \"this network\"",
        "10.0.0.0/8": "is a private address",
        "100.64.0.0/10": "is a carrier's shared address",
        "127.0.0.0/8": "is a loopback address",
        "169.254.169.254/32": "is the metadata service of cloud machines",
        "169.254.0.0/16": "is a link-local address",
        "172.16.0.0/12": "is a private address",
        "192.0.0.0/24": "is reserved for protocols",
        "192.0.2.0/24": "is for documentation",
        "192.88.99.0/24": "is a retired 6to4 relay",
        "192.168.0.0/16": "is a private address",
        "198.18.0.0/15": "is for benchmarks",
        "198.51.100.0/24": "is for documentation",
        "203.0.113.0/24": "is for documentation",
        "224.0.0.0/4": "is a multicast address",
        "240.0.0.0/4": "is reserved or broadcast",
    ])

    /// Exceptions within 2000::/3. All addresses outside of it are not global unicast.
    private static let reservedV6 = reservations([
        "2001::/32": "is a Teredo address",
        "2001::/23": "is reserved for protocols",
        "2001:db8::/32": "is for documentation",
        "3fff::/20": "is for documentation",
    ])

    /// For the reason only: every address outside of 2000::/3 is refused.
    private static let namedV6 = reservations([
        "::/128": "is the unspecified address",
        "::1/128": "is the loopback address",
        "64:ff9b:1::/48": "is a local NAT64 address",
        "fc00::/7": "is a unique local address",
        "fe80::/10": "is a link-local address",
        "fec0::/10": "is a site-local address",
        "ff00::/8": "is a multicast address",
    ])

    private static func reservation(ofV6 bits: UInt128) -> String? {
        // NAT64 (RFC 6052) and 6to4 (RFC 3056) lead to the IPv4 address in them.
        if bits >> 32 == 0x0064_FF9B_0000_0000_0000_0000 {
            return IPAddress.v4(UInt32(truncatingIfNeeded: bits)).reservation.map {
                "leads by NAT64 to one which \($0)"
            }
        }
        if bits >> 112 == 0x2002 {
            return IPAddress.v4(UInt32(truncatingIfNeeded: bits >> 80)).reservation
                .map { "leads by 6to4 to one which \($0)" }
        }
        let address = IPAddress.v6(bits)
        guard bits >> 125 == 0b001 else {
            return namedV6.first { $0.network.contains(address) }?.reason ?? "is not a global address (2000::/3)"
        }
        return reservedV6.first { $0.network.contains(address) }?.reason
    }
}
