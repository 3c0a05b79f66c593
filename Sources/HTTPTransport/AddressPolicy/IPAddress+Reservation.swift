/// The special-purpose registries of IANA (RFC 6890 and its updates), as far as a client must keep away from them.
extension IPAddress {
    /// What the address is reserved for, as half a sentence; `nil` for an address of the public Internet.
    /// - Complexity: O(1): a fixed table.
    var reservation: String? {
        switch unmapped {
        case .v4: Self.reservedV4.first { $0.network.contains(unmapped) }?.reason
        case .v6(let bits): Self.reservation(ofV6: bits)
        }
    }

    private typealias Reservation = (network: IPNetwork, reason: String)

    private static func v4(_ base: UInt32, _ length: Int, _ reason: String) -> Reservation {
        (IPNetwork(unchecked: .v4(base), prefixLength: length), reason)
    }

    private static func v6(_ high: UInt64, _ length: Int, _ reason: String) -> Reservation {
        (IPNetwork(unchecked: .v6(UInt128(high) << 64), prefixLength: length), reason)
    }

    private static let reservedV4: [Reservation] = [
        v4(0x0000_0000, 8, "is an address of \"this network\" (0.0.0.0/8)"),
        v4(0x0A00_0000, 8, "is a private address (10.0.0.0/8)"),
        v4(0x6440_0000, 10, "is a carrier's shared address (100.64.0.0/10)"),
        v4(0x7F00_0000, 8, "is a loopback address (127.0.0.0/8)"),
        v4(0xA9FE_A9FE, 32, "is the metadata service of cloud machines"),
        v4(0xA9FE_0000, 16, "is a link-local address (169.254.0.0/16)"),
        v4(0xAC10_0000, 12, "is a private address (172.16.0.0/12)"),
        v4(0xC000_0000, 24, "is reserved for protocols (192.0.0.0/24)"),
        v4(0xC000_0200, 24, "is for documentation (192.0.2.0/24)"),
        v4(0xC058_6300, 24, "is a retired 6to4 relay (192.88.99.0/24)"),
        v4(0xC0A8_0000, 16, "is a private address (192.168.0.0/16)"),
        v4(0xC612_0000, 15, "is for benchmarks (198.18.0.0/15)"),
        v4(0xC633_6400, 24, "is for documentation (198.51.100.0/24)"),
        v4(0xCB00_7100, 24, "is for documentation (203.0.113.0/24)"),
        v4(0xE000_0000, 4, "is a multicast address (224.0.0.0/4)"),
        v4(0xF000_0000, 4, "is reserved or broadcast (240.0.0.0/4)"),
    ]

    /// Exceptions within 2000::/3; whatever lies outside of that is not global unicast at all.
    private static let reservedV6: [Reservation] = [
        v6(0x2001_0000_0000_0000, 32, "is a Teredo address (2001::/32)"),
        v6(0x2001_0000_0000_0000, 23, "is reserved for protocols (2001::/23)"),
        v6(0x2001_0DB8_0000_0000, 32, "is for documentation (2001:db8::/32)"),
        v6(0x3FFF_0000_0000_0000, 20, "is for documentation (3fff::/20)"),
    ]

    /// For the reason only: the rule for everything outside of 2000::/3 is to refuse.
    private static let namedV6: [Reservation] = [
        v6(0x0064_FF9B_0001_0000, 48, "is a local NAT64 address (64:ff9b:1::/48)"),
        v6(0xFC00_0000_0000_0000, 7, "is a unique local address (fc00::/7)"),
        v6(0xFE80_0000_0000_0000, 10, "is a link-local address (fe80::/10)"),
        v6(0xFEC0_0000_0000_0000, 10, "is a site-local address (fec0::/10)"),
        v6(0xFF00_0000_0000_0000, 8, "is a multicast address (ff00::/8)"),
    ]

    private static func reservation(ofV6 bits: UInt128) -> String? {
        if bits == 0 { return "is the unspecified address (::)" }
        if bits == 1 { return "is the loopback address (::1)" }
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
