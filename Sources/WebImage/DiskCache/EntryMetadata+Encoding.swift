// SPDX-License-Identifier: MIT
/// The form of metadata in an entry's file: fields of a tag byte, a 32-bit little-endian length and that many bytes.
///
/// Unknown tags are skipped, so that an older version reads what a newer one wrote. The entry's checksum covers the
/// bytes; they are parsed as untrusted input all the same.
extension EntryMetadata {
    /// The tags on disk. A number never gets a second meaning. 0 is filler.
    private enum Tag: UInt8 {
        case url = 1, contentType, format, pixelWidth, pixelHeight, frameCount, httpStatus, etag, lastModified
        case responseDate, storedAt, expiresAt, varySelector, attribute, madeFrom, keptUntil
        case age, sharedAge
    }

    /// The generation is left out, because the entry's header has it.
    ///
    /// - Complexity: O(size).
    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        Self.append(url, as: .url, to: &bytes)
        Self.append(contentType, as: .contentType, to: &bytes)
        Self.append(format, as: .format, to: &bytes)
        Self.append(pixelWidth.map(Int64.init), as: .pixelWidth, to: &bytes)
        Self.append(pixelHeight.map(Int64.init), as: .pixelHeight, to: &bytes)
        Self.append(frameCount.map(Int64.init), as: .frameCount, to: &bytes)
        Self.append(httpStatus.map(Int64.init), as: .httpStatus, to: &bytes)
        Self.append(etag, as: .etag, to: &bytes)
        Self.append(lastModified, as: .lastModified, to: &bytes)
        Self.append(responseDate, as: .responseDate, to: &bytes)
        Self.append(storedAt, as: .storedAt, to: &bytes)
        Self.append(keptUntil, as: .keptUntil, to: &bytes)
        Self.append(age?.code, as: .age, to: &bytes)
        Self.append(sharedAge?.code, as: .sharedAge, to: &bytes)
        Self.append(expiresAt, as: .expiresAt, to: &bytes)
        Self.append(madeFrom.map { Int64(bitPattern: $0.rawValue) }, as: .madeFrom, to: &bytes)
        for (name, value) in varySelectors { Self.append(name, value, as: .varySelector, to: &bytes) }
        for (name, value) in attributes { Self.append(name, value, as: .attribute, to: &bytes) }
        return bytes
    }

    /// The length of a field without contents.
    static let emptyFieldLength = 5

    /// Appends a field that says nothing, with so many bytes.
    static func appendFiller(_ count: Int, to bytes: inout [UInt8]) {
        bytes.append(0)
        bytes.append(littleEndian: UInt32(clamping: count))
        bytes.append(contentsOf: repeatElement(0, count: count))
    }

    /// Creates metadata from `bytes`; `nil` when they are not a sequence of whole fields or lack the URL.
    ///
    /// - Complexity: O(size).
    init?(encoded bytes: ArraySlice<UInt8>) {
        self.init(url: "")
        var reader = ByteReader(bytes)
        var hasURL = false
        while !reader.isAtEnd {
            guard let tag = reader.byte(), let field = reader.counted() else { return nil }
            switch Tag(rawValue: tag) {
            case .url: (url, hasURL) = (Self.text(field), true)
            case .contentType: contentType = Self.text(field)
            case .format: format = Self.text(field)
            case .pixelWidth: pixelWidth = Self.number(field).flatMap(Int.init(exactly:))
            case .pixelHeight: pixelHeight = Self.number(field).flatMap(Int.init(exactly:))
            case .frameCount: frameCount = Self.number(field).flatMap(Int.init(exactly:))
            case .httpStatus: httpStatus = Self.number(field).flatMap(Int.init(exactly:))
            case .etag: etag = Self.text(field)
            case .lastModified: lastModified = Self.text(field)
            case .responseDate: responseDate = Self.number(field)
            case .storedAt: storedAt = Self.number(field) ?? 0
            case .keptUntil: keptUntil = Self.number(field)
            case .age: age = Self.number(field).flatMap(CacheAge.init(code:))
            case .sharedAge: sharedAge = Self.number(field).flatMap(CacheAge.init(code:))
            case .expiresAt: expiresAt = Self.number(field)
            case .madeFrom:
                madeFrom = Self.number(field).map { ContentGeneration(rawValue: UInt64(bitPattern: $0)) }
            case .varySelector:
                guard let (name, value) = Self.pair(field) else { return nil }
                varySelectors[name] = value
            case .attribute:
                guard let (name, value) = Self.pair(field) else { return nil }
                attributes[name] = value
            case nil: break
            }
        }
        guard hasURL else { return nil }
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String { String(decoding: field, as: UTF8.self) }

    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        guard field.count == 8 else { return nil }
        var reader = ByteReader(field)
        return reader.integer(UInt64.self).map(Int64.init(bitPattern:))
    }

    private static func pair(_ field: ArraySlice<UInt8>) -> (String, String)? {
        var reader = ByteReader(field)
        guard let name = reader.counted() else { return nil }
        return (text(name), text(reader.rest))
    }

    private static func append(_ text: String?, as tag: Tag, to bytes: inout [UInt8]) {
        guard let text else { return }
        bytes.append(tag.rawValue)
        bytes.append(counted: text)
    }

    private static func append(_ number: Int64?, as tag: Tag, to bytes: inout [UInt8]) {
        guard let number else { return }
        bytes.append(tag.rawValue)
        bytes.append(littleEndian: UInt32(8))
        bytes.append(littleEndian: UInt64(bitPattern: number))
    }

    private static func append(_ name: String, _ value: String, as tag: Tag, to bytes: inout [UInt8]) {
        bytes.append(tag.rawValue)
        bytes.append(littleEndian: UInt32(clamping: 4 + name.utf8.count + value.utf8.count))
        bytes.append(counted: name)
        bytes.append(contentsOf: value.utf8)
    }
}
