// SPDX-License-Identifier: MIT
import HTTPTransport

/// One directive of a `Cache-Control` field.
struct CacheDirective {
    /// What follows the name.
    enum Argument {
        case none
        /// A token, or the content of a quoted string.
        case text([UInt8])
        /// White space around the `=`, an empty argument, or something after it.
        case malformed
    }

    /// In lower case.
    let name: String
    let argument: Argument

    /// Whether the argument is missing, as the grammar wants it for most directives.
    var isBare: Bool { if case .none = argument { true } else { false } }

    /// The argument as seconds; 0 for one that is not a number, so that it makes a response stale.
    var seconds: Int {
        guard case .text(let text) = argument else { return 0 }
        return DeltaSeconds.parse(text) ?? 0
    }

    /// Names of fields; `nil` when there is no list of names.
    var fieldNames: Set<String>? {
        guard case .text(let text) = argument else { return nil }
        return FieldText.fieldNames(text)
    }
}

/// Reads the directives of one line, in one pass.
///
/// - Source: RFC 9111, section 5.2; RFC 9110, sections 5.6.1 to 5.6.4.
struct DirectiveReader: Sequence, IteratorProtocol {
    private let line: [UInt8]
    private var index = 0
    /// Whether a quoted string did not end. Later quotes are ordinary bytes then, so that what follows a comma is read.
    private(set) var isMalformed = false

    init(_ line: [UInt8]) { self.line = line }

    /// The next directive; `nil` at the end.
    mutating func next() -> CacheDirective? {
        skip { $0.isBlank || $0 == UInt8(ascii: ",") }
        guard index < line.count else { return nil }
        if byte == UInt8(ascii: "\""), let text = quotedText() {
            // A string in the place of a name is no directive.
            skipToComma()
            return CacheDirective(name: "", argument: .text(text))
        }
        let start = index
        skip { !$0.isBlank && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
        let name = FieldText.lowercased(line[start..<index].prefix(64))
        let end = index
        skip(\.isBlank)
        if isAtEnd { return CacheDirective(name: name, argument: .none) }
        guard index == end, byte == UInt8(ascii: "=") else {
            skipToComma()
            return CacheDirective(name: name, argument: .malformed)
        }
        index += 1
        return CacheDirective(name: name, argument: argument())
    }

    private mutating func argument() -> CacheDirective.Argument {
        var text = byte == UInt8(ascii: "\"") ? quotedText() : nil
        if text == nil {
            let start = index
            skip { !$0.isBlank && $0 != UInt8(ascii: ",") }
            let token = Array(line[start..<index])
            if !token.isEmpty, token.allSatisfy(\.isTokenByte) { text = token }
        }
        skip(\.isBlank)
        guard isAtEnd, let text else {
            skipToComma()
            return .malformed
        }
        return .text(text)
    }

    /// The content of a quoted string, behind which the reader stands then.
    private mutating func quotedText() -> [UInt8]? {
        guard !isMalformed else { return nil }
        guard let end = FieldText.quotedEnd(line, index) else {
            isMalformed = true
            return nil
        }
        var (text, position) = ([UInt8](), index + 1)
        while position < end {
            if line[position] == UInt8(ascii: "\\") { position += 1 }
            text.append(line[position])
            position += 1
        }
        index = end + 1
        return text
    }

    private var byte: UInt8? { index < line.count ? line[index] : nil }
    private var isAtEnd: Bool { byte == nil || byte == UInt8(ascii: ",") }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while index < line.count, isSkipped(line[index]) { index += 1 }
    }

    /// Leaves out the rest of a broken directive. A comma in a quoted string does not end it.
    private mutating func skipToComma() {
        while let byte, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\""), quotedText() != nil { continue }
            index += 1
        }
    }
}
