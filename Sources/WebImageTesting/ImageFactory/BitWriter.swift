// SPDX-License-Identifier: MIT
/// Packs numbers of any few bits into bytes, the lowest bit first, as DEFLATE, GIF and lossless WebP do.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var pendingCount = 0

    /// Appends the lowest `count` bits of `value`, at most 24.
    mutating func write(_ value: Int, _ count: Int) {
        pending |= UInt32(value) << pendingCount
        pendingCount += count
        while pendingCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
    }

    /// Appends `count` zero bits, whole bytes at once.
    mutating func writeZeros(_ count: Int) {
        let first = min(count, (8 - pendingCount) % 8)
        write(0, first)
        bytes.append(contentsOf: repeatElement(0, count: (count - first) / 8))
        write(0, (count - first) % 8)
    }

    /// Fills the last byte with zeros.
    mutating func finish() { write(0, (8 - pendingCount) % 8) }
}

/// The checksum of PNG chunks.
///
/// - Source: ISO 3309; PNG (third edition), annex D.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
