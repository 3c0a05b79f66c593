// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
/// Stands in for swift-nio.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    public let pairs: [(String, String)]
    public init(dictionaryLiteral elements: (String, String)...) { pairs = elements }
}
