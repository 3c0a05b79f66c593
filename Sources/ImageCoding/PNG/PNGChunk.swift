// SPDX-License-Identifier: MIT
import CImageShims

/// Writes the chunks of a PNG.
///
/// - Source: PNG (third edition), section 5.3.
enum PNGChunk {
    /// Appends a chunk: its length, type, data and check sum.
    ///
    /// - Parameter parts: The data, of less than 2 GiB.
    static func append(_ type: StaticString, _ parts: [ArraySlice<UInt8>], to file: inout [UInt8]) {
        file += bigEndian(UInt32(parts.reduce(0) { $0 + $1.count }))
        let start = file.count
        file += type.description.utf8
        for part in parts { file += part }
        file += bigEndian(checkSum(file[start...]))
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    static func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { unsafe $0.baseAddress.map { unsafe swi_crc32($0, bytes.count) } ?? 0 }
    }
}
