/// An IPv4 or IPv6 address, without port and zone.
public enum IPAddress: Sendable, Hashable {
    /// 32 bits, the first byte of the address in the highest place.
    case v4(UInt32)
    /// 128 bits, the first byte of the address in the highest place.
    case v6(UInt128)

    /// Makes an address of 4 or 16 bytes in network order; `nil` for any other count.
    public init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }

    /// The IPv4 address that an IPv4-mapped one (`::ffff:a.b.c.d`) stands for; every other address as it is.
    /// - Source: RFC 4291, section 2.5.5.2.
    public var unmapped: IPAddress {
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
            return (0..<4).map { String(bits >> (24 - 8 * UInt32($0)) & 0xFF) }.joined(separator: ".")
        case .v6(let bits):
            let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * UInt128($0))) }
            let hex = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
            guard let zeros = Self.longestZeroRun(in: groups) else { return hex(groups[...]) }
            return hex(groups[..<zeros.lowerBound]) + "::" + hex(groups[zeros.upperBound...])
        }
    }

    /// The longest run of at least two zeros, the first of equals.
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
