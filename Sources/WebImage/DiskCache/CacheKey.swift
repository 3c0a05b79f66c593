/// What an entry is stored and found under.
///
/// Any text of any length; two keys are the same when their UTF-8 bytes are. The text is kept in the entry's file, so
/// do not put secrets into it.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    /// The text of the key.
    public let rawValue: String

    /// A key with this text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text of the key.
    public var description: String { rawValue }

    /// Compares bytes: the string's own equality also holds between different spellings of one character.
    ///
    /// - Complexity: O(length).
    public static func == (first: CacheKey, second: CacheKey) -> Bool {
        first.rawValue.utf8.elementsEqual(second.rawValue.utf8)
    }

    /// Feeds the UTF-8 bytes into `hasher`.
    ///
    /// - Complexity: O(length).
    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
