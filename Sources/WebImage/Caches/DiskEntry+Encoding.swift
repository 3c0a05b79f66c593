// SPDX-License-Identifier: MIT
/// An entry as bytes that are sent elsewhere: the form of the files of ``DiskCache``, with the key and checksums.
///
/// What comes back is untrusted input: an entry that is not whole, or belongs to another key, is none.
extension DiskEntry {
    /// The bytes of an entry; `nil` when the key or the metadata are too long for the form.
    package func encoded(for key: CacheKey) -> [UInt8]? { encodedFront(for: key).map { $0 + bytes } }

    /// The same without the content.
    package func encodedFront(for key: CacheKey) -> [UInt8]? {
        EntryHeader.front(key: key, metadata: metadata, body: bytes)
    }

    /// The entry that the bytes are; `nil` when they are damaged or of another key.
    package init?(encoded bytes: [UInt8], for key: CacheKey) {
        guard let header = EntryHeader(bytes, fileSize: bytes.count) else { return nil }
        let (front, body) = (Array(bytes[..<header.bodyOffset]), Array(bytes[header.bodyOffset...]))
        guard let found = Self.read(front, body), CacheKey(found.key) == key else { return nil }
        self = found.entry
    }

    /// The entry of a content, and the text of its key; `nil` when the front is damaged, or of another content.
    package static func read(_ front: [UInt8], _ body: [UInt8]) -> (key: String, entry: DiskEntry)? {
        guard let header = header(inFront: front), header.bodyLength == body.count,
            Checksum.ofContent(body) == header.bodyChecksum,
            var metadata = EntryMetadata(encoded: front[(EntryHeader.length + header.keyLength)...])
        else { return nil }
        metadata.generation = ContentGeneration(rawValue: header.bodyChecksum)
        return (header.key(in: front), DiskEntry(metadata: metadata, bytes: body))
    }

    /// The text of the key in a front, whatever content it belongs to; `nil` when the front is damaged.
    package static func key(inFront front: [UInt8]) -> String? { header(inFront: front)?.key(in: front) }

    private static func header(inFront front: [UInt8]) -> EntryHeader? {
        guard let header = EntryHeader(front), header.bodyOffset == front.count, header.matchesFront(front) else {
            return nil
        }
        return header
    }
}

extension EntryHeader {
    fileprivate func key(in front: [UInt8]) -> String {
        String(decoding: front[Self.length...].prefix(keyLength), as: UTF8.self)
    }
}
