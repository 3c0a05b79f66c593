// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-http-types 1.
public struct HTTPRequest: Sendable {
    public var path: String?
    public var headerFields: HTTPFields
}

public struct HTTPResponse: Sendable {
    public struct Status: Sendable, Hashable, ExpressibleByIntegerLiteral {
        public let code: Int
        public init(code: Int, reasonPhrase: String = "") { self.code = code }
        public init(integerLiteral value: Int) { code = value }
        public static var badRequest: Status { Status(code: 400) }
    }

    public var status: Status
    public init(status: Status, headerFields: HTTPFields = [:]) { self.status = status }
}

public struct HTTPField: Sendable, Hashable {
    public struct Name: Sendable, Hashable {
        public let rawName: String
        public init?(_ name: String) { rawName = name }
        public static var ifNoneMatch: Name { Name("If-None-Match")! }
    }
}

public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var fields: [HTTPField.Name: String] = [:]
    public init() {}
    public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {}
    public subscript(name: HTTPField.Name) -> String? {
        get { fields[name] }
        set { fields[name] = newValue }
    }
}
