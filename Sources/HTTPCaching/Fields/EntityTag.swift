// SPDX-License-Identifier: MIT
/// An entity tag.
/// - Source: RFC 9110, section 8.8.3.
struct EntityTag: Equatable {
    /// Longer ones are not used: a request that carries them is refused by many servers.
    static let longest = 8_192

    let isWeak: Bool
    /// With its quotes.
    let opaque: ArraySlice<UInt8>

    /// The tag as it was written, as a caller sends it back.
    var text: String { (isWeak ? "W/" : "") + String(decoding: opaque, as: UTF8.self) }

    /// Reads the value of an `ETag` field. A tag without quotes, as some servers send, is taken as it is.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let bytes = FieldText.trimmed(Array(text.utf8)[...])
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.init(bytes)
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        isWeak = bytes.starts(with: "W/".utf8)
        opaque = isWeak ? bytes.dropFirst(2) : bytes
    }

    /// The members of `If-None-Match`, without `*`; none for a field that is too long to be read.
    static func list(_ values: [String]) -> [EntityTag] {
        (FieldText.lines(values) ?? []).flatMap(FieldText.members).map(EntityTag.init)
    }

    /// Whether both have the same opaque part.
    /// - Source: RFC 9110, section 8.8.3.2.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether both are the same and neither is weak.
    /// - Source: RFC 9110, section 8.8.3.2.
    func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }
}
