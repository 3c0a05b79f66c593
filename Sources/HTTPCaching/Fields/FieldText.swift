// SPDX-License-Identifier: MIT
import HTTPTransport

/// The bytes that fields are made of.
enum FieldText {
    /// Fields with more bytes than this are not read. Each rule says what such a field counts as.
    static let longestField = 65_536

    /// The lines of a field as bytes; `nil` when they are longer than ``longestField`` together.
    static func lines(_ values: [String]) -> [[UInt8]]? {
        var left = longestField
        for value in values {
            left -= value.utf8.count
            if left < 0 { return nil }
        }
        return values.map { Array($0.utf8) }
    }

    /// Splits a field at its commas, except in quoted strings, and trims the members. Empty members are left out.
    ///
    /// A quoted string that does not end is no quoted string.
    /// - Source: RFC 9110, sections 5.6.1 and 5.6.4.
    static func members(of line: [UInt8]) -> [ArraySlice<UInt8>] {
        var (members, start, index, hasQuotes) = ([ArraySlice<UInt8>](), 0, 0, true)
        while index < line.count {
            if hasQuotes, line[index] == UInt8(ascii: "\"") {
                if let end = quotedEnd(line, index) { index = end } else { hasQuotes = false }
            } else if line[index] == UInt8(ascii: ",") {
                members.append(trimmed(line[start..<index]))
                start = index + 1
            }
            index += 1
        }
        members.append(trimmed(line[start...]))
        return members.filter { !$0.isEmpty }
    }

    /// The position of the quote that ends the string which begins at a quote.
    static func quotedEnd(_ line: [UInt8], _ start: Int) -> Int? {
        var index = start + 1
        while index < line.count {
            if line[index] == UInt8(ascii: "\"") { return index }
            index += line[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !$0.isBlank }),
            let last = bytes.lastIndex(where: { !$0.isBlank })
        else { return [] }
        return bytes[first...last]
    }

    /// The text in lower case, as far as it is ASCII.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
    }

    /// Names of fields in lower case; `nil` when one is no name, or when there is none.
    static func fieldNames(_ text: [UInt8]) -> Set<String>? {
        let names = members(of: text)
        guard !names.isEmpty, names.allSatisfy({ $0.allSatisfy(\.isTokenByte) }) else { return nil }
        return Set(names.map(lowercased))
    }
}

/// Numbers of seconds in fields.
enum DeltaSeconds {
    /// Larger numbers count as this one.
    /// - Source: RFC 9111, section 1.2.2.
    static let largest = 2_147_483_648

    /// Reads digits, and nothing else; `nil` for any other text.
    static func parse(_ text: some Collection<UInt8>) -> Int? {
        guard !text.isEmpty, text.allSatisfy(\.isASCIIDigit) else { return nil }
        var number = 0
        for digit in text where number < largest { number = number * 10 + Int(digit - 0x30) }
        return min(number, largest)
    }

    /// A number of seconds that no sum in this module overflows.
    static func clamped(_ seconds: Int) -> Int { min(max(0, seconds), largest) }
}
