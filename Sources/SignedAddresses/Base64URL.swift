// SPDX-License-Identifier: MIT
/// Bytes as a text that is safe in a path.
///
/// - Source: RFC 4648, section 5, without padding.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each letter; 64 for a byte that is none.
    private static let values = alphabet.enumerated().reduce(into: [UInt8](repeating: 64, count: 256)) {
        values, entry in
        values[Int(entry.element)] = UInt8(entry.offset)
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bitCount) = ([UInt8](), UInt32(0), 0)
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(buffer >> UInt32(bitCount) & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` for a text that ``encode(_:)`` does not make, so that bytes have one text only.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var (bytes, buffer, bitCount) = ([UInt8](), UInt32(0), 0)
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        for letter in text.utf8 {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bitCount)))
            }
        }
        // The bits that are left belong to no byte: fewer than a letter, and zero.
        let isWhole = bitCount < 6 && buffer & (1 << UInt32(bitCount) - 1) == 0
        return isWhole ? bytes : nil
    }
}
