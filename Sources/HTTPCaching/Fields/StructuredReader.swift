// SPDX-License-Identifier: MIT
import HTTPTransport

/// Reads a dictionary of structured fields, in one pass. Parameters are checked and left out.
///
/// - Source: RFC 9651, section 4.2.
struct StructuredReader {
    /// A value, as far as cache directives need it.
    enum Value: Equatable {
        case boolean(Bool)
        case integer(Int)
        /// A string or a token.
        case text([UInt8])
        /// A value of any other type.
        case other
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members; of two with one name the later. `nil` when the text is no dictionary.
    mutating func dictionary() -> [String: Value]? {
        var members: [String: Value] = [:]
        skip { $0 == 0x20 }
        while byte != nil {
            guard let name = key() else { return nil }
            var value = Value.boolean(true)
            if take("=") {
                guard let read = byte == UInt8(ascii: "(") ? innerList() : item() else { return nil }
                value = read
            }
            guard parameters() else { return nil }
            members[name] = value
            skip(\.isBlank)
            if byte == nil { return members }
            guard take(",") else { return nil }
            skip(\.isBlank)
            if byte == nil { return nil }
        }
        return members
    }

    private mutating func key() -> String? {
        guard let first = byte, first == UInt8(ascii: "*") || Self.isSmallLetter(first) else { return nil }
        let start = index
        skip { Self.isSmallLetter($0) || $0.isASCIIDigit || "_-.*".utf8.contains($0) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// `;name=value` any number of times.
    private mutating func parameters() -> Bool {
        while take(";") {
            skip { $0 == 0x20 }
            guard key() != nil, !take("=") || item() != nil else { return false }
        }
        return true
    }

    private mutating func innerList() -> Value? {
        guard take("(") else { return nil }
        while true {
            skip { $0 == 0x20 }
            if take(")") { return .other }
            guard item() != nil, parameters(), byte == 0x20 || byte == UInt8(ascii: ")") else { return nil }
        }
    }

    private mutating func item() -> Value? {
        switch byte {
        case UInt8(ascii: "?")?:
            index += 1
            if take("1") { return .boolean(true) }
            return take("0") ? .boolean(false) : nil
        case UInt8(ascii: "\"")?: return string()
        case UInt8(ascii: ":")?: return binary()
        case UInt8(ascii: "@")?:
            index += 1
            guard case .integer? = number() else { return nil }
            return .other
        case let first? where first == UInt8(ascii: "-") || first.isASCIIDigit: return number()
        case let first? where first == UInt8(ascii: "*") || first.isASCIIAlphanumeric:
            let start = index
            skip { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return .text(Array(bytes[start..<index]))
        default: return nil
        }
    }

    /// An integer of at most 15 digits, or a decimal of at most 12 and 3.
    private mutating func number() -> Value? {
        let isNegative = take("-")
        let start = index
        skip(\.isASCIIDigit)
        let digits = bytes[start..<index]
        if take(".") {
            let fraction = index
            skip(\.isASCIIDigit)
            return (1...12).contains(digits.count) && (1...3).contains(index - fraction) ? .other : nil
        }
        guard (1...15).contains(digits.count) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return .integer(isNegative ? -number : number)
    }

    private mutating func string() -> Value? {
        index += 1
        var text: [UInt8] = []
        while let next = byte {
            index += 1
            switch next {
            case UInt8(ascii: "\""): return .text(text)
            case UInt8(ascii: "\\"):
                guard let escaped = byte, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    return nil
                }
                text.append(escaped)
                index += 1
            case 0x20...0x7E: text.append(next)
            default: return nil
            }
        }
        return nil
    }

    private mutating func binary() -> Value? {
        index += 1
        skip { $0.isASCIIAlphanumeric || "+/=".utf8.contains($0) }
        return take(":") ? .other : nil
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }
}
