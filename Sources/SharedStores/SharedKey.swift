// SPDX-License-Identifier: MIT
public import WebImage

/// The name of an entry in a shared store: 32 hexadecimal digits, and a suffix for what is known about an original.
///
/// It is a digest, so it is short and says nothing about the address. The entry holds the whole key, and a reader
/// compares it.
public struct SharedKey: Sendable, Hashable, CustomStringConvertible {
    /// The text: at most 38 letters, digits and hyphens.
    public let description: String

    /// The name of an entry.
    public init(_ key: CacheKey) { self.init(key, suffix: "") }

    private init(_ key: CacheKey, suffix: String) { description = key.digestText + suffix }

    /// The name of what is known about an original.
    static func about(_ original: CacheKey) -> SharedKey { SharedKey(original, suffix: "-about") }
}

extension CacheKey {
    /// Whether the key names a file that was made for a client, and not a picture that the disk keeps for itself.
    var isFile: Bool { !isOriginal && (rawValue.contains("\0encoded") || rawValue.hasSuffix("\0original")) }
}
