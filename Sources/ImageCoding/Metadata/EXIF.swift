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
        // A number of two or four bytes.
        guard let type = reader.number(2, at: entry + 2), type == 3 || type == 4 else { return .up }
        return reader.number(type == 3 ? 2 : 4, at: entry + 8).flatMap(ImageOrientation.init(rawValue:)) ?? .up
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
        guard let (reader, entry) = entry(tag, in: bytes), reader.number(2, at: entry + 2) == 2,
            let count = reader.number(4, at: entry + 4), count > 0,
            let place = count <= 4 ? entry + 8 : reader.number(4, at: entry + 8),
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
        guard let reader = TIFFReader(block), let directory = reader.number(4, at: 4),
            let count = reader.number(2, at: directory)
        else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            guard let found = reader.number(2, at: entry) else { return nil }
            if found == Int(tag) { return (reader, entry) }
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
        isLittleEndian = bytes.starts(with: [0x49, 0x49, 0x2A, 0x00])
        guard isLittleEndian || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
        self.bytes = bytes
    }

    func number(_ count: Int, at offset: Int) -> Int? {
        guard let bytes = bytes(at: offset, count) else { return nil }
        let start = bytes.startIndex
        return isLittleEndian ? bytes.littleEndian(count, at: start) : bytes.bigEndian(count, at: start)
    }

    func bytes(at offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count <= bytes.count, offset <= bytes.count - count else { return nil }
        return bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
    }
}
