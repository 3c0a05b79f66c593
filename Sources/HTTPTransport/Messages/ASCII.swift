// SPDX-License-Identifier: MIT
/// The bytes that the texts of HTTP are made of.
extension UInt8 {
    /// Whether the byte is a space or a tab.
    /// - Source: RFC 9110, section 5.6.3.
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is a digit.
    @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is a letter or a digit.
    @inlinable package var isASCIIAlphanumeric: Bool { isASCIIDigit || (0x61...0x7A).contains(lowercasedASCII) }

    /// The lower-case letter for an upper-case ASCII letter, and every other byte unchanged.
    @inlinable package var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// Whether a name may contain this byte.
    /// - Source: RFC 9110, section 5.6.2.
    @inlinable package var isTokenByte: Bool {
        switch self {
        // Digits, letters, and ! # $ % & ' * + - . ^ _ ` | ~
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E: true
        default: false
        }
    }
}

extension String {
    /// Whether this is a token: one or more of the characters allowed in names.
    var isToken: Bool { !isEmpty && allBytes(\.isTokenByte) }

    /// Whether all bytes in UTF-8 are allowed: `utf8.allSatisfy` without its cost for each byte.
    @inline(__always)
    func allBytes(_ isAllowed: (UInt8) -> Bool) -> Bool {
        let bytes = utf8.span
        for index in bytes.indices where !isAllowed(bytes[index]) { return false }
        return true
    }

    /// Whether both are equal up to the case of ASCII letters.
    package func isEqualIgnoringCase(to other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        for index in left.indices where left[index] != right[index] {
            guard left[index].lowercasedASCII == right[index].lowercasedASCII else { return false }
        }
        return true
    }
}
