// SPDX-License-Identifier: MIT
/// An entry as bytes that are sent elsewhere: the form of the files of ``DiskCache``, with the key and checksums.
///
/// What comes back is untrusted input: an entry that is not whole, or belongs to another key, is none.
extension DiskEntry {
    /// The bytes of an entry; `nil` when the key or the metadata are too long for the form.
    package func encoded(for key: CacheKey) -> [UInt8]? {
        guard var whole = EntryHeader.front(key: key, metadata: metadata, body: bytes) else { return nil }
        whole.reserveCapacity(whole.count + bytes.count)
        whole.append(contentsOf: bytes)
        return whole
    }

    /// The entry that the bytes are; `nil` when they are damaged or of another key.
    package init?(encoded bytes: [UInt8], for key: CacheKey) {
        guard let header = EntryHeader(bytes, fileSize: bytes.count), header.matchesFront(bytes) else { return nil }
        let keyEnd = EntryHeader.length + header.keyLength
        guard bytes[EntryHeader.length..<keyEnd].elementsEqual(key.rawValue.utf8),
            var metadata = EntryMetadata(encoded: bytes[keyEnd..<header.bodyOffset])
        else { return nil }
        let body = Array(bytes[header.bodyOffset...])
        guard Checksum.ofContent(body) == header.bodyChecksum else { return nil }
        metadata.generation = ContentGeneration(rawValue: header.bodyChecksum)
        self.init(metadata: metadata, bytes: body)
    }
}
