// SPDX-License-Identifier: MIT
/// Reads what decoding needs from an EXIF block.
///
/// The block is untrusted input: every offset is checked, and only the first directory is read. Invalid values count as
/// absent, because a picture with broken metadata is still a picture.
enum EXIF {
    /// Finds the orientation in a TIFF structure.
    ///
    /// - Parameter bytes: Starts at the byte order mark; a leading `Exif\0\0` is skipped.
    /// - Returns: `.up` without a valid orientation.
    /// - Complexity: O(number of entries in the first directory), at most 65,535.
    /// - Source: TIFF 6.0, section 2; CIPA DC-008, tag 0x0112.
    static func orientation(in bytes: ArraySlice<UInt8>) -> ImageOrientation {
        guard let (reader, entry) = entry(0x0112, in: bytes) else { return .up }
        let value: Int?
        switch reader.short(at: entry + 2) {
        case 3: value = reader.short(at: entry + 8).map(Int.init)
        case 4: value = reader.long(at: entry + 8).map(Int.init)
        default: value = nil
        }
        return value.flatMap(ImageOrientation.init(rawValue:)) ?? .up
    }

    static let artist: UInt16 = 0x013B
    static let copyright: UInt16 = 0x8298

    /// Finds a text in a TIFF structure; empty without a valid one.
    ///
    /// - Parameters:
    ///   - tag: ``artist`` or ``copyright``.
    ///   - bytes: As for ``orientation(in:)``.
    static func text(_ tag: UInt16, in bytes: ArraySlice<UInt8>) -> String {
        // ASCII by the specification, and UTF-8 or Latin-1 in files.
        guard let (reader, entry) = entry(tag, in: bytes), reader.short(at: entry + 2) == 2,
            let count = reader.long(at: entry + 4).map(Int.init), count > 0,
            let place = count <= 4 ? entry + 8 : reader.long(at: entry + 8).map(Int.init),
            let text = reader.bytes(at: place, count)
        else { return "" }
        // A notice may have two parts: that of the photographer and that of the editor.
        let parts = text.prefix(2_048).split(separator: 0).prefix(2)
        return line(
            parts.map { part in
                String(validating: part, as: UTF8.self)
                    ?? String(String.UnicodeScalarView(part.map { Unicode.Scalar($0) }))
            }.joined(separator: "; "))
    }

    /// One line of a text, of at most 1,024 bytes, without control characters.
    static func line(_ text: String) -> String {
        var (line, count) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator: continue
            default: count += UTF8.width(scalar)
            }
            if count > 1_024 { break }
            line.append(scalar)
        }
        return String(line)
    }

    /// Finds the entry of a tag in the first directory.
    private static func entry(_ tag: UInt16, in bytes: ArraySlice<UInt8>) -> (TIFFReader, Int)? {
        let block = bytes.starts(with: prefix) ? bytes.dropFirst(prefix.count) : bytes
        guard let reader = TIFFReader(block), let directory = reader.long(at: 4).map(Int.init),
            let count = reader.short(at: directory)
        else { return nil }
        for index in 0..<Int(count) {
            let entry = directory + 2 + index * 12
            guard let found = reader.short(at: entry) else { return nil }
            if found == tag { return (reader, entry) }
        }
        return nil
    }

    /// The prefix of the block in a JPEG marker and, against the specification, in some PNG and WebP files.
    static let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0x00, 0x00]
}

/// Integers of either byte order at checked offsets.
private struct TIFFReader {
    private let bytes: ArraySlice<UInt8>
    private let isLittleEndian: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        if bytes.starts(with: [0x49, 0x49, 0x2A, 0x00]) {
            isLittleEndian = true
        } else if bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
            isLittleEndian = false
        } else {
            return nil
        }
        self.bytes = bytes
    }

    func short(at offset: Int) -> UInt16? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let first = UInt16(bytes[bytes.startIndex + offset])
        let second = UInt16(bytes[bytes.startIndex + offset + 1])
        return isLittleEndian ? second << 8 | first : first << 8 | second
    }

    func bytes(at offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count <= bytes.count, offset <= bytes.count - count else { return nil }
        return bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
    }

    func long(at offset: Int) -> UInt32? {
        guard let first = short(at: offset), let second = short(at: offset + 2) else { return nil }
        return isLittleEndian ? UInt32(second) << 16 | UInt32(first) : UInt32(first) << 16 | UInt32(second)
    }
}
