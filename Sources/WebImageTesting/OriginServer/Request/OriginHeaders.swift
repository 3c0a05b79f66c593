// SPDX-License-Identifier: MIT
/// Header fields in their order, repeated names included.
///
/// Names are compared without regard to case, and kept as they were written.
public struct OriginHeaders: RandomAccessCollection, ExpressibleByDictionaryLiteral, Sendable, Hashable {
    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The name, in the case it was written in.
        public var name: String
        /// The value, without the white space around it.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field]

    /// Creates fields from pairs, in order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates fields from a literal, in order; a name may be repeated.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }

    /// The value of the first field of the name.
    ///
    /// Setting replaces all fields of the name by one at the end; setting `nil` removes them.
    ///
    /// - Complexity: O(*n*) in the number of fields.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// The values of all fields of the name, in order.
    ///
    /// - Complexity: O(*n*) in the number of fields.
    public func values(of name: String) -> [String] {
        fields.compactMap { Self.isSame($0.name, name) ? $0.value : nil }
    }

    /// Adds a field after the others, whatever their names are.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        let left = left.utf8
        let right = right.utf8
        return left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
