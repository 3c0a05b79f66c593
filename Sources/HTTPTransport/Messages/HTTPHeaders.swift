// SPDX-License-Identifier: MIT
/// Header fields in the order they were added or received; names are compared without regard to case.
///
/// A name may occur several times, as it may on the wire.
/// - Source: RFC 9110, section 5.
public struct HTTPHeaders: Sendable {
    /// One header field.
    public struct Field: Sendable {
        /// The name as it was written or received.
        public var name: String
        /// The value without surrounding white space.
        public var value: String

        /// Creates a field.
        ///
        /// Nothing is checked here; ``HTTPClient`` refuses fields that must not be sent.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in order.
    public private(set) var fields: [Field] = []

    /// Creates an empty collection.
    public init() {}

    /// Creates a collection of these fields, in this order.
    public init(_ fields: [Field]) {
        self.fields = fields
    }

    /// The value of the field, `nil` without one. Several values of one name are joined by `", "`.
    ///
    /// Assigning replaces every field of that name by one, in the place of the first; assigning `nil` removes them.
    /// - Complexity: O(`count`).
    /// - Source: RFC 9110, section 5.3. Use ``values(for:)`` for `Set-Cookie`, which must not be joined.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where field.name.isEqualIgnoringCase(to: name) {
                joined = joined.map { $0 + ", " + field.value } ?? field.value
            }
            return joined
        }
        set {
            let first = fields.firstIndex { $0.name.isEqualIgnoringCase(to: name) }
            guard let newValue else { return removeAll(named: name) }
            guard let first else { return append(name: name, value: newValue) }
            let kept = Field(name: name, value: newValue)
            removeAll(named: name)
            fields.insert(kept, at: first)
        }
    }

    /// The values of every field of that name, in order.
    /// - Complexity: O(`count`).
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.isEqualIgnoringCase(to: name) }.map(\.value)
    }

    /// Whether there is a field of that name.
    /// - Complexity: O(`count`).
    public func contains(name: String) -> Bool {
        fields.contains { $0.name.isEqualIgnoringCase(to: name) }
    }

    /// Appends a field and keeps other fields of the same name.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Makes room for some fields.
    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// Removes every field of that name.
    /// - Complexity: O(`count`).
    public mutating func removeAll(named name: String) {
        fields.removeAll { $0.name.isEqualIgnoringCase(to: name) }
    }

    /// Appends to the value of the last field: the continuation of a folded line (RFC 9112, section 5.2).
    mutating func continueLast(with text: String) {
        guard let last = fields.indices.last else { return }
        fields[last].value += " " + text
    }
}

// MARK: - Collection

extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }
}

// MARK: - Hashable

extension HTTPHeaders: Hashable {}

extension HTTPHeaders.Field: Hashable {
    /// Whether the bytes of the values are equal, and those of the names up to the case of ASCII letters.
    ///
    /// The equality of `String` also holds between different encodings of one character, which are different
    /// credentials.
    public static func == (left: Self, right: Self) -> Bool {
        left.value.utf8.elementsEqual(right.value.utf8) && left.name.isEqualIgnoringCase(to: right.name)
    }

    /// Feeds the name in lower case and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
    }
}

// MARK: - Literal

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a collection of the pairs, in order; a name may occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}
