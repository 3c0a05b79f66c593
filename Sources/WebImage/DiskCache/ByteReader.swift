// SPDX-License-Identifier: MIT
/// Reads little-endian numbers and counted fields from untrusted bytes, never past their end.
package struct ByteReader {
    /// The bytes that have not been read.
    private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func byte() -> UInt8? { rest.popFirst() }

    package mutating func integer<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ type: Number.Type
    ) -> Number? {
        let width = MemoryLayout<Number>.size
        guard rest.count >= width else { return nil }
        let number = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: Number.self) }
        rest = rest[(rest.startIndex &+ width)...]
        return Number(littleEndian: number)
    }

    /// A 32-bit length, and that many bytes.
    package mutating func counted() -> ArraySlice<UInt8>? {
        integer(UInt32.self).flatMap(Int.init(exactly:)).flatMap { bytes($0) }
    }

    /// So many bytes; `nil` when there are fewer.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard (0...rest.count).contains(count) else { return nil }
        let field = rest.prefix(count)
        rest = rest.dropFirst(count)
        return field
    }
}

extension [UInt8] {
    package mutating func append(littleEndian number: some FixedWidthInteger & UnsignedInteger) {
        for place in 0..<(number.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }

    /// Appends a 32-bit length and the text's UTF-8.
    ///
    /// Text above 4 GiB is cut; the limit of an entry is far below.
    package mutating func append(counted text: String) {
        let length = UInt32(clamping: text.utf8.count)
        append(littleEndian: length)
        append(contentsOf: text.utf8.prefix(Int(length)))
    }
}
