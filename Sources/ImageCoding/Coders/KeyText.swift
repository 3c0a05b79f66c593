/// Keeps composed keys injective.
enum KeyText {
    /// Escapes the separator of a composed key, and the escape character itself.
    static func escaped(_ text: String, _ separator: Unicode.Scalar) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == separator || character == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
