// SPDX-License-Identifier: MIT
/// An element of an XML document, with everything in it.
///
/// Comments, processing instructions and the declaration are not kept. Names have their prefixes.
public struct XMLTree: Sendable, Hashable {
    /// What an element contains, in order.
    public enum Content: Sendable, Hashable {
        /// Another element.
        case element(XMLTree)
        /// Text, with its character references replaced; never empty, and never beside another text.
        case text(String)
    }

    /// The name, with its prefix.
    public var name: String
    /// The attributes by their names.
    public var attributes: [String: String]
    /// The elements and texts in this element, in order.
    public var content: [Content]

    /// Creates an element.
    public init(_ name: String, attributes: [String: String] = [:], content: [Content] = []) {
        self.name = name
        self.attributes = attributes
        self.content = content
    }

    /// The elements in this element, in order.
    public var elements: [XMLTree] {
        content.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The elements of that name in this element, in order.
    public func elements(named name: String) -> [XMLTree] { elements.filter { $0.name == name } }

    /// The first element of that name in this element.
    public subscript(_ name: String) -> XMLTree? { elements(named: name).first }

    /// All text in this element and those within, in order.
    public var text: String {
        content.map {
            switch $0 {
            case .element(let element): element.text
            case .text(let text): text
            }
        }.joined()
    }
}

/// How large a document may be.
public struct XMLLimits: Sendable, Hashable {
    /// The largest number of elements within each other; default 64, at most 200.
    public var depth = 64
    /// The largest number of elements, attributes and texts together, and of comments, instructions and sections of
    /// character data; default 100,000.
    public var nodes = 100_000
    /// The largest number of attributes and namespaces of one element, which a parser compares with each other; default
    /// 256, at most 1,000.
    public var attributes = 256

    /// Creates the default limits.
    public init() {}
}

/// Why a document was not read.
public struct XMLError: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// It is no well-formed XML, or its characters are not those of its encoding.
        case malformed
        /// It has a document type declaration, which may define entities.
        case documentType
        /// It is beyond one of the ``XMLLimits``.
        case tooLarge
    }

    /// The kind of failure, for decisions.
    public let code: Code
    /// What happened, for a human reader.
    public let message: String
}
