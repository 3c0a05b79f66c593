extension IPAddress {
    /// Reads an address as it is written: four decimal numbers, or groups of hexadecimal digits.
    ///
    /// Strict on purpose: no octal, hexadecimal or short forms of IPv4, no brackets, no port, no zone. `nil` for those.
    /// - Complexity: O(*n*) in the length, which is bounded by 45 bytes.
    /// - Source: RFC 4291, section 2.2; RFC 6943, section 3.1.1 (why loose forms are dangerous).
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(46))
        guard !bytes.isEmpty, bytes.count <= 45 else { return nil }
        if bytes.contains(UInt8(ascii: ":")) {
            guard let bits = Self.parseV6(bytes[...]) else { return nil }
            self = .v6(bits)
        } else {
            guard let bits = Self.parseV4(bytes[...]) else { return nil }
            self = .v4(bits)
        }
    }

    private static func parseV4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            // A leading zero means octal to some resolvers and decimal to others.
            guard part.count == 1 || part.first != 0x30 else { return nil }
            let value = part.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - 0x30) }
            guard value <= 255 else { return nil }
            bits = bits << 8 | value
        }
        return bits
    }

    private static func parseV6(_ bytes: ArraySlice<UInt8>) -> UInt128? {
        guard let gap = firstGap(in: bytes) else {
            guard let groups = parseGroups(bytes), groups.count == 8 else { return nil }
            return join(groups)
        }
        let tail = bytes[(gap + 2)...]
        guard firstGap(in: tail) == nil, let left = parseGroups(bytes[..<gap], mayEndInV4: false),
            let right = parseGroups(tail), left.count + right.count <= 7
        else { return nil }
        return join(left + Array(repeating: 0, count: 8 - left.count - right.count) + right)
    }

    /// The position of the first `::`.
    private static func firstGap(in bytes: ArraySlice<UInt8>) -> Int? {
        let colon = UInt8(ascii: ":")
        return bytes.indices.dropLast().first { bytes[$0] == colon && bytes[$0 + 1] == colon }
    }

    private static func join(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    /// Groups between single colons; the last may be an IPv4 address, which counts for two.
    private static func parseGroups(_ bytes: ArraySlice<UInt8>, mayEndInV4: Bool = true) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let four = parseV4(part) else { return nil }
                groups += [UInt16(four >> 16), UInt16(truncatingIfNeeded: four)]
            } else {
                guard (1...4).contains(part.count), part.allSatisfy(isHexDigit) else { return nil }
                guard let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16) else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte.lowercasedASCII)
    }
}
