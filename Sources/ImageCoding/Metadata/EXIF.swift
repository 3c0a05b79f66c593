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
        let block = bytes.starts(with: prefix) ? bytes.dropFirst(prefix.count) : bytes
        guard let reader = TIFFReader(block), let directory = reader.long(at: 4).map(Int.init),
            let count = reader.short(at: directory)
        else { return .up }
        for index in 0..<Int(count) {
            let entry = directory + 2 + index * 12
            guard let tag = reader.short(at: entry) else { return .up }
            guard tag == 0x0112 else { continue }
            let value: Int?
            switch reader.short(at: entry + 2) {
            case 3: value = reader.short(at: entry + 8).map(Int.init)
            case 4: value = reader.long(at: entry + 8).map(Int.init)
            default: value = nil
            }
            return value.flatMap(ImageOrientation.init(rawValue:)) ?? .up
        }
        return .up
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

    func long(at offset: Int) -> UInt32? {
        guard let first = short(at: offset), let second = short(at: offset + 2) else { return nil }
        return isLittleEndian ? UInt32(second) << 16 | UInt32(first) : UInt32(first) << 16 | UInt32(second)
    }
}
