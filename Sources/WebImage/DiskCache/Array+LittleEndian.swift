extension [UInt8] {
    mutating func append(littleEndian number: some FixedWidthInteger & UnsignedInteger) {
        for place in 0..<(number.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }

    /// Appends a 32-bit length and the text's UTF-8.
    ///
    /// Text above 4 GiB is cut; the limit of an entry is far below.
    mutating func append(counted text: String) {
        let length = UInt32(clamping: text.utf8.count)
        append(littleEndian: length)
        append(contentsOf: text.utf8.prefix(Int(length)))
    }
}
