/// Keeps composed keys injective.
enum KeyText {
    /// Escapes the character that a composed key has between its parts, and the escape itself.
    static func escaped(_ text: String, _ separator: Unicode.Scalar) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == separator || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
