// SPDX-License-Identifier: MIT
import PlatformBasics

/// The name under which an entry is stored.
///
/// The text may have any length; two keys are equal when their UTF-8 bytes are equal. The text is kept in the entry's
/// file, so do not put secrets into it.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    /// The text of the key.
    public let rawValue: String
    /// The number of bytes at the beginning that name the original.
    private let originalLength: Int
    /// Hashed once, since a key is looked up more often than it is made. Differs from process to process.
    let hash: Int

    /// Creates the key of an original with this text.
    public init(_ rawValue: String) { self.init(rawValue, originalLength: rawValue.utf8.count) }

    /// Creates the key of something that is made of an original, which goes when its original goes.
    ///
    /// - Parameters:
    ///   - original: The key of the original, or of something that is made of it.
    ///   - suffix: Names what is made of it.
    public init(_ original: CacheKey, suffix: String) {
        // `+` would leave room for as much again, which lives as long as the key.
        var name = ""
        name.reserveCapacity(original.rawValue.utf8.count + suffix.utf8.count)
        name += original.rawValue
        name += suffix
        self.init(name, originalLength: original.originalLength)
    }

    private init(_ rawValue: String, originalLength: Int) {
        self.rawValue = rawValue
        self.originalLength = originalLength
        hash = Self.hash(of: rawValue, length: rawValue.utf8.count)
    }

    private static func hash(of text: String, length: Int) -> Int {
        var (text, hasher) = (text, Hasher())
        text.withUTF8 {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: $0.prefix(length))))
        }
        return hasher.finalize()
    }

    /// The hash of the key of the original.
    ///
    /// - Complexity: O(1) for an original, else O(length).
    var originalHash: Int { isOriginal ? hash : Self.hash(of: rawValue, length: originalLength) }

    /// Whether the key names an original.
    public var isOriginal: Bool { originalLength == rawValue.utf8.count }

    /// The key of the original; the key itself for an original.
    public var original: CacheKey {
        isOriginal ? self : CacheKey(String(decoding: rawValue.utf8.prefix(originalLength), as: UTF8.self))
    }

    /// What follows the name of the original.
    var suffix: Substring.UTF8View { rawValue.utf8.dropFirst(originalLength) }

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
