// SPDX-License-Identifier: MIT
/// The form of entries in a shared store: that of the files of ``DiskCache``, with the key and checksums.
///
/// What comes back is untrusted input: an entry that is not whole, or belongs to another key, is none.
enum SharedEntry {
    /// The bytes of an entry; `nil` when the key or the metadata are too long for the form.
    static func encoded(_ entry: DiskEntry, for key: CacheKey) -> [UInt8]? {
        guard var bytes = EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes) else { return nil }
        bytes.reserveCapacity(bytes.count + entry.bytes.count)
        bytes.append(contentsOf: entry.bytes)
        return bytes
    }

    /// The entry that the bytes are; `nil` when they are damaged or of another key.
    static func decoded(_ bytes: [UInt8], for key: CacheKey) -> DiskEntry? {
        guard let header = EntryHeader(bytes, fileSize: bytes.count), header.matchesFront(bytes) else { return nil }
        let keyEnd = EntryHeader.length + header.keyLength
        guard bytes[EntryHeader.length..<keyEnd].elementsEqual(key.rawValue.utf8),
            var metadata = EntryMetadata(encoded: bytes[keyEnd..<header.bodyOffset])
        else { return nil }
        let body = Array(bytes[header.bodyOffset...])
        guard Checksum.ofContent(body) == header.bodyChecksum else { return nil }
        metadata.generation = ContentGeneration(rawValue: header.bodyChecksum)
        return DiskEntry(metadata: metadata, bytes: body)
    }

    // MARK: - What is known about an original

    private static let generation = "generation"
    private static let isGone = "gone"

    /// What is known about an original, without the original.
    static func about(_ metadata: EntryMetadata, for key: CacheKey) -> [UInt8]? {
        var metadata = metadata
        metadata.attributes[generation] = metadata.generation.map { String($0.rawValue) }
        return encoded(DiskEntry(metadata: metadata, bytes: []), for: key)
    }

    /// The word that an original was removed, so that what was made of it does not count.
    static func gone(_ key: CacheKey) -> [UInt8]? {
        encoded(DiskEntry(metadata: EntryMetadata(url: "", attributes: [isGone: "yes"]), bytes: []), for: key)
    }

    /// What is known about an original.
    enum About: Equatable {
        case known(EntryMetadata)
        case gone
    }

    static func readAbout(_ bytes: [UInt8], for key: CacheKey) -> About? {
        guard var metadata = decoded(bytes, for: key)?.metadata else { return nil }
        if metadata.attributes[isGone] != nil { return .gone }
        metadata.generation = metadata.attributes.removeValue(forKey: generation)
            .flatMap { UInt64($0) }.map(ContentGeneration.init(rawValue:))
        return .known(metadata)
    }
}
