// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-nio 2.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    public let pairs: [(String, String)]
    public init(_ headers: [(String, String)] = []) { pairs = headers }
    public init(dictionaryLiteral elements: (String, String)...) { pairs = elements }
    public subscript(name: String) -> [String] { pairs.filter { $0.0 == name }.map(\.1) }
}

public struct HTTPVersion: Sendable {
    public init(major: Int, minor: Int) {}
}

public enum HTTPResponseStatus: Sendable {
    case custom(code: UInt, reasonPhrase: String)
    case ok

    public init(statusCode: Int, reasonPhrase: String = "") {
        self = .custom(code: UInt(statusCode), reasonPhrase: reasonPhrase)
    }
}
