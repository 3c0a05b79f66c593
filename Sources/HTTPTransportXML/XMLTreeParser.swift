// SPDX-License-Identifier: MIT
#if canImport(FoundationXML)
import Foundation
import FoundationXML
#else
import Foundation
#endif

/// Builds a tree of what `XMLParser` reports.
///
/// A document type declaration is refused before the parser sees the document, so there are no entities but the five of
/// XML, and nothing outside of the document is read.
final class XMLTreeParser: NSObject, XMLParserDelegate {
    private let limits: XMLLimits
    private var open: [XMLTree] = []
    private var root: XMLTree?
    /// The text that has begun in the innermost element.
    private var text = ""
    private var nodeCount = 0
    private var failure: XMLError?
    private var isMalformed = false

    private init(_ limits: XMLLimits) {
        self.limits = limits
    }

    /// Reads a document.
    static func tree(of document: XMLDocumentText, _ limits: XMLLimits) throws(XMLError) -> XMLTree {
        let reader = XMLTreeParser(limits)
        let parser = XMLParser(data: Data(document.content))
        parser.shouldResolveExternalEntities = false
        parser.shouldProcessNamespaces = false
        parser.delegate = reader
        let isWellFormed = parser.parse()
        if let failure = reader.failure { throw failure }
        guard isWellFormed, !reader.isMalformed, parser.parserError == nil, reader.open.isEmpty, let root = reader.root
        else {
            let reason = parser.parserError.map { "\($0)" } ?? "it has no root, or two"
            throw XMLError(
                code: .malformed,
                message: "The document is not well-formed near line \(parser.lineNumber): \(reason).")
        }
        return root
    }

    // MARK: - XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard failure == nil else { return }
        if root != nil { isMalformed = true }
        guard open.count < min(max(1, limits.depth), 200) else {
            return fail(parser, "More than \(open.count) elements are within each other.")
        }
        guard count(1 + attributes.count, parser) else { return }
        endText()
        open.append(XMLTree(name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard failure == nil, !open.isEmpty else { return }
        endText()
        let element = open.removeLast()
        if open.isEmpty { root = element } else { open[open.count - 1].content.append(.element(element)) }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { append(text, parser) }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { append(String(decoding: block, as: UTF8.self), parser) }

    /// The parser would go on, past what was checked.
    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        isMalformed = true
        parser.abortParsing()
    }

    /// The parser reports one text in several pieces.
    private func append(_ piece: String, _ parser: XMLParser) {
        guard failure == nil, !open.isEmpty, !piece.isEmpty else { return }
        guard !text.isEmpty || count(1, parser) else { return }
        text += piece
    }

    /// Puts the text that has ended into its element.
    private func endText() {
        guard !text.isEmpty else { return }
        open[open.count - 1].content.append(.text(text))
        text = ""
    }

    private func count(_ nodes: Int, _ parser: XMLParser) -> Bool {
        nodeCount += nodes
        if nodeCount > limits.nodes { fail(parser, "There are more than \(limits.nodes) elements and texts.") }
        return failure == nil
    }

    private func fail(_ parser: XMLParser, _ message: String) {
        failure = XMLError(code: .tooLarge, message: "\(message) Raise the limits if such documents are expected.")
        parser.abortParsing()
    }
}
