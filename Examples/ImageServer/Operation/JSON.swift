// SPDX-License-Identifier: MIT
extension String {
    /// The text as a string of JSON, on one line and without a character that a terminal would interpret or hide.
    var quotedJSON: String {
        var bytes: [UInt8] = []
        bytes.appendJSON(self[...])
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text without a character that a terminal would interpret or hide.
    var printable: String {
        unicodeScalars.map { $0.isInvisible ? $0.escaped(asASCII: true) : String($0) }.joined()
    }
}

extension [UInt8] {
    /// Adds a text as a string of JSON.
    ///
    /// Control characters, line ends of every kind, and characters that show nothing, such as those that turn the
    /// direction of writing, are escaped.
    /// - Source: RFC 8259, section 7.
    mutating func appendJSON(_ text: Substring) {
        append(UInt8(ascii: "\""))
        let bytes = text.utf8.span
        if bytes.indices.allSatisfy({ Self.isPlain(bytes[$0]) }) {
            append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { appendEscaped(scalar) }
        }
        append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
        if let byte = UInt8(exactly: scalar.value), Self.isPlain(byte) { return append(byte) }
        switch scalar {
        case "\"": append(contentsOf: "\\\"".utf8)
        case "\\": append(contentsOf: "\\\\".utf8)
        case _ where scalar.isInvisible:
            for unit in UTF16.encode(scalar)! {
                append(contentsOf: "\\u".utf8)
                for shift in [12, 8, 4, 0] { append(Self.digits[Int(unit >> UInt16(shift) & 0xF)]) }
            }
        default: append(contentsOf: UTF8.encode(scalar)!)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
