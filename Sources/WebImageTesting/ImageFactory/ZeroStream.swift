// SPDX-License-Identifier: MIT
/// Zero bytes as a zlib stream a thousandth of their size, written without ever holding them.
///
/// One block with codes of its own: a literal zero, then "258 bytes like the one before" as two bits each.
///
/// - Source: RFC 1950, RFC 1951 sections 3.2.5 to 3.2.7.
struct ZeroStream {
    private var bits = BitWriter()

    /// The stream of `count` zeros.
    static func zlib(count: Int) -> [UInt8] {
        var stream = ZeroStream()
        stream.writeCodes()
        stream.writeZeros(count)
        stream.bits.finish()
        // Adler-32 of zeros: the first sum stays 1, the second counts the bytes.
        return [0x78, 0xDA] + stream.bits.bytes + ImageFactory.bigEndian(UInt32(count % 65_521) << 16 | 1)
    }

    /// The last block, dynamic.
    ///
    /// Lengths of the codes: literal 0: 2, end 256: 2, length 285: 1, distance 1: 1.
    private mutating func writeCodes() {
        write(1, 1)
        write(2, 2)
        // 286 literal and length codes, one distance code, all the code length codes but the last.
        write(286 - 257, 5)
        write(1 - 1, 5)
        write(18 - 4, 4)
        // In the order of the specification: 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1.
        for length in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] { write(length, 3) }
        // Canonical codes of the code lengths: 18 is 0, 1 is 10, 2 is 11; the first bit is written first.
        func repeatZero(_ count: Int) {
            write(0, 1)
            write(count - 11, 7)
        }
        func one() { write(0b01, 2) }
        func two() { write(0b11, 2) }
        two()
        repeatZero(138)
        repeatZero(117)
        two()
        repeatZero(28)
        one()
        one()
    }

    /// Canonical codes: 285 is 0, 0 is 10, 256 is 11; the distance is 0.
    private mutating func writeZeros(_ count: Int) {
        if count > 0 { write(0b01, 2) }
        let repeats = max(count - 1, 0) / 258
        bits.writeZeros(repeats * 2)
        for _ in 0..<max(count - 1, 0) - repeats * 258 { write(0b01, 2) }
        write(0b11, 2)
    }

    private mutating func write(_ value: Int, _ count: Int) { bits.write(value, count) }
}
