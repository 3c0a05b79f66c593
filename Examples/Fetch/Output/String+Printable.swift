// SPDX-License-Identifier: MIT
extension String {
    /// The text with all characters escaped that a terminal would interpret or hide: control characters, line breaks,
    /// and marks of the writing direction.
    var printable: String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isInvisible ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// The text as a string of JSON, on one line and without a control character (RFC 8259, section 7).
    var quotedJSON: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.isInvisible:
                for unit in UTF16.encode(scalar)! {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
