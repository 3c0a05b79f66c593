// SPDX-License-Identifier: MIT
extension String {
    /// The text with all characters escaped that a terminal would interpret or hide: control characters, and marks of
    /// the writing direction.
    var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
