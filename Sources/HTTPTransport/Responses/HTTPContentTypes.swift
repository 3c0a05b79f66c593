// SPDX-License-Identifier: MIT
/// A set of media types, compared without case and without parameters.
///
/// `image/*` stands for every type of pictures and `*/*` for every type, also for a response without one.
/// - Source: RFC 9110, section 8.3.1.
public struct HTTPContentTypes: Sendable, Hashable {
    private let names: Set<String>

    /// Every type of pictures.
    public static let images: HTTPContentTypes = ["image/*"]
    /// JSON and the types that end with `+json`.
    public static let json: HTTPContentTypes = ["application/json", "text/json", "text/javascript", "*/*+json"]
    /// Property lists.
    public static let propertyLists: HTTPContentTypes = ["application/x-plist", "application/xml", "text/xml"]

    /// Creates a set of types; parameters are dropped.
    public init(_ types: some Sequence<String>) {
        names = Set(types.map { Self.essence(of: $0) })
    }

    /// Whether the value of a `Content-Type` field is in the set.
    /// - Parameter field: The value with its parameters, if any; `nil` for a response without the field.
    /// - Complexity: O(*n*) in the length of the value.
    public func contains(_ field: String?) -> Bool {
        if names.contains("*/*") { return true }
        guard let field else { return false }
        let essence = Self.essence(of: field)
        guard let slash = essence.firstIndex(of: "/"), !names.contains(essence) else { return names.contains(essence) }
        if names.contains(essence[..<slash] + "/*") { return true }
        guard let plus = essence.lastIndex(of: "+"), plus > slash else { return false }
        return names.contains("*/*" + essence[plus...])
    }

    /// The type in lower case, without parameters and white space.
    static func essence(of field: String) -> String {
        let name = field.utf8.prefix { $0 != UInt8(ascii: ";") }
        return String(Substring(name)).lowercased().filter { !$0.isWhitespace }
    }

    /// The value of a parameter of a `Content-Type` field, without quotes.
    static func parameter(_ name: String, of field: String) -> String? {
        for part in field.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, String(pair[0].filter { !$0.isWhitespace }).isEqualIgnoringCase(to: name) else {
                continue
            }
            return pair[1].filter { !$0.isWhitespace && $0 != "\"" }
        }
        return nil
    }
}

extension HTTPContentTypes: ExpressibleByArrayLiteral {
    /// Creates a set of types; parameters are dropped.
    public init(arrayLiteral elements: String...) {
        self.init(elements)
    }
}

extension HTTPContentTypes: CustomStringConvertible {
    /// The types in alphabetical order.
    public var description: String { names.sorted().joined(separator: ", ") }
}
