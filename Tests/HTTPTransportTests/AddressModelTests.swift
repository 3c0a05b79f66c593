// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

/// Addresses in all their spellings, and the policy, against ranges of numbers of 128 bits.
struct AddressModelTests {
    @Test func `an address is read in every spelling`() async {
        await Property(cases: 3_000) { WrittenAddress(&$0) }.holds { address in
            let read = IPAddress(address.text)
            return difference(read?.number, address.number)
                ?? difference(read.flatMap { IPAddress($0.description) }, read, "description:")
        }
    }

    @Test func `a text is an address when the grammar says so`() async {
        await Property(cases: 6_000) { draw in
            draw.edited(WrittenAddress(&draw).text, with: "0123456789abcdefABCDEFg:.%/[]xX- ")
        }.holds { difference(IPAddress($0)?.number, PlainAddress.number($0)) }
    }

    @Test func `a policy allows the addresses that are in no refused range, in whatever form they come`() async {
        await Property(cases: 6_000) { draw in
            let allowed = draw.maybe { draw in draw.list(0...2) { WrittenNetwork(&$0) } }
            let denied = draw.list(0...2) { WrittenNetwork(&$0) }
            // Near the ends of a range, and near those of the networks.
            let own = ((allowed ?? []) + denied).map(\.range)
            let near = draw.oneOf(own.isEmpty || draw.isTrue() ? Reserved.ranges : own)
            let edge = draw.oneOf([near.lowerBound, near.upperBound])
            let number = draw.oneOf([edge, edge &+ 1, edge &- 1, edge ^ UInt128(draw.choice(upTo: 255))])
            let isMapped = number >> 32 == 0xFFFF && draw.isTrue()
            return (allowed: allowed, denied: denied, address: IPAddress(number, isMapped: isMapped))
        }.holds { allowed, denied, address in
            let networks = try allowed?.map { try required(IPNetwork($0.text)) }
            var policy = networks.map { AddressPolicy.publicInternet(allowing: $0) } ?? .unrestricted
            policy.deniedNetworks = try denied.map { try required(IPNetwork($0.text)) }
            let isDenied = denied.contains { $0.range.contains(address.number) }
            let isAllowed = allowed.map { allowed in
                allowed.contains { $0.range.contains(address.number) } || !Reserved.contains(address.number)
            }
            return difference(policy.allows(address), !isDenied && isAllowed != false)
        }
    }

    @Test func `a host is on a list by its name, or by a domain that it is below`() async {
        let labels = ["a", "b", "example", "A"]
        await Property(cases: 3_000) { draw in
            let host = draw.list(1...4) { $0.oneOf(labels) }
            let listed = draw.list(0...3) { draw in
                (isBelow: draw.isTrue(), labels: draw.list(1...3) { $0.oneOf(labels) })
            }
            return (host: host, hasDot: draw.isTrue(oneIn: 4), listed: listed)
        }.holds { host, hasDot, listed in
            let name = host.map { $0.lowercased() }
            let isListed = listed.contains { isBelow, labels in
                let labels = labels.map { $0.lowercased() }
                return isBelow ? name.count > labels.count && name.suffix(labels.count) == labels[...] : name == labels
            }
            var (allowing, denying) = (AddressPolicy.unrestricted, AddressPolicy.unrestricted)
            allowing.allowedHosts = Set(listed.map { ($0 ? "*." : "") + $1.joined(separator: ".") })
            denying.deniedHosts = allowing.allowedHosts ?? []
            let text = host.joined(separator: ".") + (hasDot ? "." : "")
            return difference(allowing.reasonToRefuse(host: text, port: 443) == nil, isListed, "allowed:")
                ?? difference(denying.reasonToRefuse(host: text, port: 443) == nil, !isListed, "not denied:")
        }
    }
}

extension IPAddress {
    /// The number of 128 bits: an IPv4 address is the one that is mapped to IPv6.
    fileprivate var number: UInt128 {
        switch self {
        case .v4(let bits): 0xFFFF_0000_0000 | UInt128(bits)
        case .v6(let bits): bits
        }
    }

    fileprivate init(_ number: UInt128, isMapped: Bool) {
        self = isMapped ? .v4(UInt32(truncatingIfNeeded: number)) : .v6(number)
    }
}

/// What the registries of IANA say, as numbers.
private enum Reserved {
    private static func v4(_ first: UInt128, _ last: UInt128) -> ClosedRange<UInt128> {
        0xFFFF_0000_0000 | first...0xFFFF_0000_0000 | last
    }

    /// By the first three bytes of IPv4.
    private static let mapped: [ClosedRange<UInt128>] = [
        v4(0x0000_0000, 0x00FF_FFFF), v4(0x0A00_0000, 0x0AFF_FFFF), v4(0x6440_0000, 0x647F_FFFF),
        v4(0x7F00_0000, 0x7FFF_FFFF), v4(0xA9FE_0000, 0xA9FE_FFFF), v4(0xAC10_0000, 0xAC1F_FFFF),
        v4(0xC000_0000, 0xC000_00FF), v4(0xC000_0200, 0xC000_02FF), v4(0xC058_6300, 0xC058_63FF),
        v4(0xC0A8_0000, 0xC0A8_FFFF), v4(0xC612_0000, 0xC613_FFFF), v4(0xC633_6400, 0xC633_64FF),
        v4(0xCB00_7100, 0xCB00_71FF), v4(0xE000_0000, 0xFFFF_FFFF),
    ]

    private static func v6(_ groups: UInt128, _ length: UInt128) -> ClosedRange<UInt128> {
        let first = groups << (128 - length)
        return first...(first | (UInt128.max >> length))
    }

    /// Below 2000::/3, above it, and within: Teredo and protocols, documentation.
    private static let others: [ClosedRange<UInt128>] = [
        0...(0xFFFE_FFFF_FFFF), (0x1_0000_0000_0000)...(UInt128.max >> 3), v6(0x2001_0000 >> 9, 23),
        v6(0x2001_0DB8, 32), v6(0x3FFF_0, 20), (0b010 << 125)...UInt128.max,
    ]

    /// Addresses that lead to one of IPv4: the range, and where that one begins.
    private static let leading: [(range: ClosedRange<UInt128>, shift: UInt128)] = [
        (v6(0x0064_FF9B_0000_0000_0000_0000, 96), 0), (v6(0x2002, 16), 80),
    ]

    static let ranges =
        mapped + others + leading.map(\.range)
        + leading.flatMap { range, shift in
            mapped.map {
                range.lowerBound | (($0.lowerBound & 0xFFFF_FFFF) << shift)...range.lowerBound
                    | (($0.upperBound & 0xFFFF_FFFF) << shift)
            }
        }

    static func contains(_ number: UInt128) -> Bool {
        if let way = leading.first(where: { $0.range.contains(number) }) {
            return contains(0xFFFF_0000_0000 | (number >> way.shift) & 0xFFFF_FFFF)
        }
        return (mapped + others).contains { $0.contains(number) }
    }
}

/// A network as a text and as a range. It is one of addresses of IPv4, in either form, or one of 2000::/3.
private struct WrittenNetwork {
    let text: String
    let range: ClosedRange<UInt128>

    init(_ draw: inout Generator) {
        let (isV4, isMapped) = (draw.isTrue(), draw.isTrue())
        let low = UInt128(draw.oneOf([0x0A01_0203, 0x0808_0808, 0x7F00_0001, 0xFFFF_FFFF] as [UInt64]))
        let base = isV4 ? 0xFFFF_0000_0000 | low : draw.oneOf([0x2001_0000, 0x2606_4700, 0x2002_0A01]) << 96 | low
        let host = UInt128(draw.number(isV4 ? 0...32 : 0...90))
        let mask = host == 0 ? 0 : UInt128.max >> (128 - host)
        range = (base & ~mask)...(base | mask)
        let length = isV4 && !isMapped ? 32 - host : 128 - host
        let address = IPAddress(base, isMapped: isV4 && !isMapped)
        text = "\(address)/\(length)"
    }
}

/// An address and how it is written.
private struct WrittenAddress {
    let number: UInt128
    let text: String

    init(_ draw: inout Generator) {
        if draw.isTrue(oneIn: 3) {
            let bytes = (0..<4).map { _ in draw.oneOf([0, 1, 10, 127, 255]) }
            number = 0xFFFF_0000_0000 | bytes.reduce(0) { $0 << 8 | UInt128($1) }
            text = bytes.map { String($0) }.joined(separator: ".")
            return
        }
        let groups = (0..<8).map { _ in UInt16(draw.oneOf([0, 0, 0, 1, 0xFFFF, 0x0DB8, draw.number(0...0xFFFF)])) }
        number = groups.reduce(0) { $0 << 16 | UInt128($1) }
        var written = groups.map { group in
            let hex = String(group, radix: 16, uppercase: draw.isTrue())
            return String(repeating: "0", count: draw.number(0...4 - hex.count)) + hex
        }
        if draw.isTrue(oneIn: 4) {
            let bytes = groups[6...].flatMap { [$0 >> 8, $0 & 0xFF] }
            written[6...] = [bytes.map { String($0) }.joined(separator: ".")]
        }
        // Any run of zeros may be left out.
        let start = draw.number(0...written.count - 1)
        let end = start + groups[start..<min(written.count, 8)].prefix { $0 == 0 }.count
        let stop = written.count < 8 ? min(end, 6) : end
        guard stop > start, draw.isTrue() else {
            text = written.joined(separator: ":")
            return
        }
        text = written[..<start].joined(separator: ":") + "::" + written[stop...].joined(separator: ":")
    }
}

/// Reads an address as RFC 4291, section 2.2, and RFC 3986, section 3.2.2, have it.
private enum PlainAddress {
    static func number(_ text: String) -> UInt128? {
        guard text.contains(":") else { return bytes(text).map { $0.reduce(0xFFFF) { $0 << 8 | $1 } } }
        let halves = text.components(separatedBy: "::")
        let sides = halves.map { $0.isEmpty ? [] : $0.components(separatedBy: ":") }
        guard halves.count <= 2, let last = sides.last else { return nil }
        var groups: [[UInt128]] = []
        for (index, side) in sides.enumerated() {
            let isLast = index == sides.count - 1
            var read: [UInt128] = []
            for (place, word) in side.enumerated() {
                if isLast, place == last.count - 1, let bytes = bytes(word) {
                    read += [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
                } else {
                    guard let group = group(word) else { return nil }
                    read.append(group)
                }
            }
            groups.append(read)
        }
        let count = groups.joined().count
        guard halves.count == 2 ? count <= 7 : count == 8 else { return nil }
        let all = groups[0] + Array(repeating: 0, count: 8 - count) + (groups.count == 2 ? groups[1] : [])
        return all.reduce(0) { $0 << 16 | $1 }
    }

    private static func group(_ word: String) -> UInt128? {
        let digits = Set("0123456789abcdefABCDEF")
        return (1...4).contains(word.count) && word.allSatisfy(digits.contains) ? UInt128(word, radix: 16) : nil
    }

    private static func bytes(_ text: String) -> [UInt128]? {
        let words = text.components(separatedBy: ".")
        let numbers = words.compactMap { word in (0...255).first { String($0) == word } }
        return words.count == 4 && numbers.count == 4 ? numbers.map { UInt128($0) } : nil
    }
}
