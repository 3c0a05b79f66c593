// SPDX-License-Identifier: MIT
/// The first 40 bytes of an entry's file; key, metadata and body follow.
///
/// | offset | bytes | field |
/// |---|---|---|
/// | 0 | 4 | magic `SWIC` |
/// | 4 | 2 | format version |
/// | 6 | 2 | reserved, zero |
/// | 8 | 4 | length of the key |
/// | 12 | 4 | length of the metadata |
/// | 16 | 8 | length of the body |
/// | 24 | 8 | checksum of the body |
/// | 32 | 8 | checksum of the key and metadata, seeded with the checksum of the 32 bytes before |
///
/// Numbers are little-endian. The checksums cover every byte of the file. The key and metadata can be verified without
/// the body.
struct EntryHeader: Equatable {
    static let length = 40
    static let version: UInt16 = 2
    private static let magic: UInt32 = 0x4349_5753

    var keyLength: Int
    var metadataLength: Int
    var bodyLength: Int
    var bodyChecksum: UInt64
    var frontChecksum: UInt64

    /// Where the body begins.
    var bodyOffset: Int { Self.length + keyLength + metadataLength }

    /// A reader expects the body to begin here, and so gets front and body with one call, each into a place of its own.
    static let usualBodyOffset = 512

    /// The bytes of an entry before its body: header, key and metadata.
    ///
    /// - Parameter limit: The metadata is filled up, so that a body of more than a block begins at a multiple of
    ///   ``usualBodyOffset``, unless the file would become larger than this.
    /// - Returns: `nil` when a length does not fit its field.
    static func front(
        key: CacheKey, metadata: EntryMetadata, body: [UInt8], filledUpTo limit: Int = 0
    ) -> [UInt8]? {
        var encoded = metadata.encoded()
        let bare = length + key.rawValue.utf8.count + encoded.count
        let filled = (bare + EntryMetadata.emptyFieldLength + usualBodyOffset - 1) / usualBodyOffset * usualBodyOffset
        if body.count > 4096, filled + body.count <= limit {
            EntryMetadata.appendFiller(filled - bare - EntryMetadata.emptyFieldLength, to: &encoded)
        }
        guard let keyLength = UInt32(exactly: key.rawValue.utf8.count),
            let metadataLength = UInt32(exactly: encoded.count)
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + key.rawValue.utf8.count + encoded.count)
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: UInt16(0))
        bytes.append(littleEndian: keyLength)
        bytes.append(littleEndian: metadataLength)
        bytes.append(littleEndian: UInt64(body.count))
        bytes.append(littleEndian: Checksum.ofContent(body))
        let seed = Checksum.of(bytes)
        bytes.append(littleEndian: UInt64(0))
        bytes.append(contentsOf: key.rawValue.utf8)
        bytes.append(contentsOf: encoded)
        let checksum = Checksum.of(bytes[length...], seed: seed)
        for place in 0..<8 { bytes[32 + place] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt64(place))) }
        return bytes
    }

    /// Creates a header from bytes and compares its lengths with the size of the file, if that is known.
    ///
    /// - Returns: `nil` when the bytes are no header of this version, or the lengths do not add up to `fileSize`.
    init?(_ bytes: [UInt8], fileSize: Int? = nil) {
        var reader = ByteReader(bytes.prefix(Self.length))
        guard reader.integer(UInt32.self) == Self.magic, reader.integer(UInt16.self) == Self.version,
            reader.integer(UInt16.self) == 0,
            let keyLength = reader.integer(UInt32.self).flatMap(Int.init(exactly:)),
            let metadataLength = reader.integer(UInt32.self).flatMap(Int.init(exactly:)),
            let bodyLength = reader.integer(UInt64.self).flatMap(Int.init(exactly:)),
            let bodyChecksum = reader.integer(UInt64.self), let frontChecksum = reader.integer(UInt64.self)
        else { return nil }
        var total = Self.length
        for part in [keyLength, metadataLength, bodyLength] {
            let (sum, overflow) = total.addingReportingOverflow(part)
            guard !overflow, sum <= fileSize ?? .max else { return nil }
            total = sum
        }
        guard total == fileSize ?? total else { return nil }
        self.keyLength = keyLength
        self.metadataLength = metadataLength
        self.bodyLength = bodyLength
        self.bodyChecksum = bodyChecksum
        self.frontChecksum = frontChecksum
    }

    /// Whether header, key and metadata are as they were written.
    ///
    /// `front` ends where the body begins, or later.
    func matchesFront(_ front: [UInt8]) -> Bool {
        guard front.count >= bodyOffset else { return false }
        let seed = Checksum.of(front[..<32])
        return Checksum.of(front[Self.length..<bodyOffset], seed: seed) == frontChecksum
    }
}
