// SPDX-License-Identifier: MIT

extension Substring {
    /// The bytes with those decoded that a percent sign escapes; `nil` where two hexadecimal digits do not follow it.
    ///
    /// - Complexity: O(length).
    package var percentDecodedBytes: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // A byte of another encoding is a letter of Latin-1 here, none of which is a digit.
            guard let high = rest.popFirst().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }),
                let low = rest.popFirst().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// The text with those bytes decoded that a percent sign escapes; `nil` where one is damaged, or the result is not
    /// UTF-8.
    ///
    /// - Complexity: O(length).
    package var percentDecoded: String? {
        percentDecodedBytes.flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension String {
    /// The text with each byte but the plain ones as a percent sign and two hexadecimal digits.
    ///
    /// - Complexity: O(length).
    package func percentEncoded(except isPlain: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without the spaces and tabs at its ends.
    package var trimmed: String {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
