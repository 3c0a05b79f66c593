// SPDX-License-Identifier: MIT
/// How files are named: text with fields in braces.
struct NameTemplate: Equatable {
    enum Field: String, CaseIterable {
        case stem, width, height, format, hash
    }

    private enum Piece: Equatable {
        case text(String)
        case field(Field)
    }

    private let pieces: [Piece]

    /// - Throws: ``UsageError`` for an unknown field, an open brace, and for text that leads to another folder or hides
    ///   the file.
    init(_ text: String) throws(UsageError) {
        guard !text.contains("/"), !text.contains("\0"), !text.hasPrefix(".") else {
            throw UsageError(
                message: "--name takes a file name without / and without a dot in front, not \(text.printable)")
        }
        var (pieces, rest): ([Piece], _) = ([], text[...])
        while let open = rest.firstIndex(of: "{") {
            pieces.append(.text(String(rest[..<open])))
            guard let close = rest[open...].firstIndex(of: "}"),
                let field = Field(rawValue: String(rest[rest.index(after: open)..<close]))
            else {
                let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
                throw UsageError(message: "--name has the fields \(known), not \(rest[open...].description.printable)")
            }
            pieces.append(.field(field))
            rest = rest[rest.index(after: close)...]
        }
        self.pieces = pieces + [.text(String(rest))]
    }

    /// The stem, the size of a picture that is resized, the hash and the extension.
    static func usual(isResized: Bool) -> NameTemplate {
        let size: [Piece] = [.text("-"), .field(.width), .text("x"), .field(.height)]
        return NameTemplate(
            [.field(.stem)] + (isResized ? size : []) + [.text("-"), .field(.hash), .text("."), .field(.format)])
    }

    /// The text behind the last field.
    var ending: String {
        guard case .text(let text) = pieces.last else { return "" }
        return text
    }

    private init(_ pieces: [Piece]) { self.pieces = pieces }

    func name(_ values: [Field: String]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): values[field] ?? ""
            }
        }.joined()
    }
}
