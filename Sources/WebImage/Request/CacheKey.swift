import Foundation

/// The name under which an entry is stored.
///
/// The text may have any length; two keys are equal when their UTF-8 bytes are equal. The text is kept in the entry's
/// file, so do not put secrets into it.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    /// The text of the key.
    public let rawValue: String
    /// Hashed once, since a key is looked up more often than it is made. Differs from process to process.
    private let hash: Int

    /// Creates a key with this text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
        var text = rawValue
        var hasher = Hasher()
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hash = hasher.finalize()
    }

    /// The text of the key.
    public var description: String { rawValue }

    /// Compares bytes: the equality of `String` also holds between different encodings of one character.
    ///
    /// - Complexity: O(length) when the keys are equal, else O(1) nearly always.
    public static func == (first: CacheKey, second: CacheKey) -> Bool {
        guard first.hash == second.hash else { return false }
        let areSame = unsafe first.rawValue.utf8.withContiguousStorageIfAvailable { one in
            unsafe second.rawValue.utf8.withContiguousStorageIfAvailable { other in
                guard one.count == other.count else { return false }
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, one.count) == 0
            }
        }
        return (areSame ?? nil) ?? first.rawValue.utf8.elementsEqual(second.rawValue.utf8)
    }

    /// Feeds the hash that was computed when the key was made.
    ///
    /// - Complexity: O(1).
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
