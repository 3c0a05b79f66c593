// SPDX-License-Identifier: MIT
/// The characters of a document in UTF-8, without the declaration, with no document type, and with few attributes.
///
/// The parser must read what was checked: it could take another encoding from the declaration.
struct XMLDocumentText {
    private(set) var content: [UInt8] = []
    private let limits: XMLLimits

    /// Walks through the markup.
    /// - Complexity: O(*n*).
    /// - Source: XML 1.0, fifth edition, sections 2.8 and 3.1.
    init(_ text: String, _ limits: XMLLimits) throws(XMLError) {
        self.limits = limits
        var rest = text.utf8[...]
        // A byte order mark.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
        if rest.starts(with: "<?xml".utf8), rest.dropFirst(5).first?.isBlank == true {
            rest = try Self.rest(of: rest, after: "?>")
        }
        content.reserveCapacity(rest.count)
        var (hasRoot, otherCount) = (false, 0)
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            content += rest[..<start]
            let markup = rest[start...]
            let next = markup.dropFirst().first
            guard next == UInt8(ascii: "!") || next == UInt8(ascii: "?") else {
                hasRoot = true
                rest = try afterTag(markup)
                content += markup[..<rest.startIndex]
                continue
            }
            otherCount += 1
            guard otherCount <= limits.nodes else {
                throw XMLError(
                    code: .tooLarge, message: "There are more than \(limits.nodes) comments; see the limits.")
            }
            if next == UInt8(ascii: "?") {
                rest = try Self.rest(of: markup, after: "?>")
                // With a blank, because Foundation's parser ends the process for an instruction that is a name alone.
                content += markup[..<rest.startIndex].dropLast(2) + " ?>".utf8
            } else {
                if markup.starts(with: "<!--".utf8) {
                    rest = try Self.rest(of: markup.dropFirst(4), after: "-->")
                } else if markup.starts(with: "<![CDATA[".utf8) {
                    rest = try Self.rest(of: markup, after: "]]>")
                } else if hasRoot {
                    // The parser refuses it.
                    rest = markup.dropFirst()
                } else {
                    throw XMLError(
                        code: .documentType,
                        message: "The document has a document type declaration, which may define entities.")
                }
                content += markup[..<rest.startIndex]
            }
        }
        content += rest
    }

    /// What follows a tag. The parser compares each attribute with those before it.
    private func afterTag(_ tag: Substring.UTF8View) throws(XMLError) -> Substring.UTF8View {
        var quote: UInt8?
        var count = 0
        for index in tag.indices.dropFirst() {
            let byte = tag[index]
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
                count += 1
                guard count <= min(limits.attributes, 1_000) else {
                    throw XMLError(
                        code: .tooLarge, message: "An element has more than \(count - 1) attributes; see the limits.")
                }
            } else if byte == UInt8(ascii: "<") {
                return tag[index...]
            } else if quote == nil, byte == UInt8(ascii: ">") {
                return tag[tag.index(after: index)...]
            }
        }
        return tag[tag.endIndex...]
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
