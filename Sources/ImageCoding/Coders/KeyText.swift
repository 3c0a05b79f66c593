/// Keeps composed keys injective.
enum KeyText {
    /// Escapes the characters that composed keys use between their parts.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if "\\:|()[]".unicodeScalars.contains(character) { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(character)
        }
        return result
    }
}
