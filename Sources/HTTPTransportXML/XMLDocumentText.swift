// SPDX-License-Identifier: MIT
/// The characters of a document in UTF-8, without the declaration and with no document type.
///
/// The parser must read what was checked: it could take another encoding from the declaration.
struct XMLDocumentText {
    let content: Substring.UTF8View

    /// Checks what comes before the root.
    /// - Source: XML 1.0, fifth edition, section 2.8.
    init(_ text: String) throws(XMLError) {
        var rest = text.utf8[...]
        // A byte order mark.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        if rest.starts(with: "<?xml".utf8), rest.dropFirst(5).first?.isBlank == true {
            rest = try Self.rest(of: rest, after: "?>")
        }
        content = Substring(rest).utf8
        while true {
            rest = rest.drop(while: \.isBlank)
            if rest.starts(with: "<!--".utf8) {
                rest = try Self.rest(of: rest.dropFirst(4), after: "-->")
            } else if rest.starts(with: "<?".utf8) {
                rest = try Self.rest(of: rest, after: "?>")
            } else if rest.starts(with: "<!".utf8) {
                throw XMLError(
                    code: .documentType,
                    message: "The document has a document type declaration, which may define entities; it is not read.")
            } else {
                return
            }
        }
    }

    /// The encoding that the declaration of a document names, in lower case.
    static func declaredEncoding(of bytes: [UInt8]) -> String? {
        let beginning = bytes.prefix(200)
        guard beginning.starts(with: "<?xml".utf8) else { return nil }
        let declaration = String(decoding: beginning.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        let parts = declaration.split(separator: "encoding", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let quoted = parts[1].split { $0 == "\"" || $0 == "'" }
        return quoted.count >= 2 ? quoted[1].lowercased() : nil
    }

    private static func rest(of text: Substring.UTF8View, after end: String) throws(XMLError) -> Substring.UTF8View {
        let end = Array(end.utf8)
        var rest = text
        while let place = rest.firstIndex(of: end[0]) {
            rest = rest[place...]
            if rest.starts(with: end) { return rest.dropFirst(end.count) }
            rest = rest.dropFirst()
        }
        throw XMLError(code: .malformed, message: "The document ends before its root.")
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
