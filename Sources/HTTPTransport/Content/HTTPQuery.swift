// SPDX-License-Identifier: MIT
public import PlatformBasics

/// Names and values for the query of a URL or for a form.
///
/// ```swift
/// let query = try HTTPQuery(encoding: ["filter": ["size": ["small", "large"]]])
/// // filter[size][]=small&filter[size][]=large, escaped
/// ```
public struct HTTPQuery: Sendable, Hashable {
    /// One name and its value; `nil` for a name alone.
    public struct Item: Sendable, Hashable {
        /// The name, unescaped.
        public var name: String
        /// The value, unescaped.
        public var value: String?

        /// Creates an item.
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The items in order.
    public var items: [Item]

    /// Creates a query of these items.
    public init(_ items: [Item] = []) {
        self.items = items
    }

    /// Creates a query of a value with named members.
    ///
    /// Members are sorted by name. A member of a member is written `a[b]`, an element of an array `a[]`, a truth value
    /// `1` or `0`, an absent value as its name alone, and everything else as `JSONEncoder` writes it.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` for a value without named members or one that cannot be
    ///   encoded.
    public init(encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()) throws(HTTPError) {
        let tree: FormTree
        do { tree = try JSONDecoder().decode(FormTree.self, from: encoder.encode(value)) } catch {
            throw .cannotEncode(because: error)
        }
        guard case .object = tree else { throw .invalidRequest("A query needs a value with named members.") }
        items = []
        tree.append(to: &items, name: "")
    }

    /// The items with everything escaped but letters, digits and `-._~/?`.
    /// - Source: RFC 3986, sections 2.3 and 3.4.
    public var escaped: String {
        items.map { item in
            Self.escape(item.name) + (item.value.map { "=" + Self.escape($0) } ?? "")
        }.joined(separator: "&")
    }

    private static func escape(_ text: String) -> String {
        text.percentEncoded { $0.isASCIIAlphanumeric || "-._~/?".utf8.contains($0) }
    }
}

/// A value as JSON writes it.
private enum FormTree: Decodable {
    case none
    case text(String)
    case array([FormTree])
    case object([String: FormTree])

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        func decoded<Part: Decodable>(_ type: Part.Type) -> String? { (try? single.decode(type)).map { "\($0)" } }
        if single.decodeNil() {
            self = .none
        } else if let flag = try? single.decode(Bool.self) {
            self = .text(flag ? "1" : "0")
        } else if let text = decoded(Int64.self) ?? decoded(UInt64.self) ?? decoded(Double.self) ?? decoded(String.self)
        {
            self = .text(text)
        } else if let array = try? single.decode([FormTree].self) {
            self = .array(array)
        } else {
            self = .object(try single.decode([String: FormTree].self))
        }
    }

    func append(to items: inout [HTTPQuery.Item], name: String) {
        switch self {
        case .none: items.append(HTTPQuery.Item(name, nil))
        case .text(let text): items.append(HTTPQuery.Item(name, text))
        case .array(let elements): for element in elements { element.append(to: &items, name: name + "[]") }
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                member.append(to: &items, name: name.isEmpty ? key : "\(name)[\(key)]")
            }
        }
    }
}
