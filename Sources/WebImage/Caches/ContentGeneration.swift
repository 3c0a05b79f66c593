// SPDX-License-Identifier: MIT
/// Which content an entry has: entries with equal bytes have equal generations.
///
/// It tells the contents that an origin has sent one after the other for one address apart. It is a 64-bit checksum, no
/// proof: an origin may make two contents of its own picture that agree in it.
public struct ContentGeneration: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The checksum of the bytes.
    public let rawValue: UInt64

    /// Creates the generation with this checksum.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the generation of some bytes.
    ///
    /// - Complexity: O(n), at about the speed of memory.
    public init(of bytes: [UInt8]) { rawValue = Checksum.ofContent(bytes) }

    /// The checksum in hexadecimal digits.
    public var description: String { String(rawValue, radix: 16) }
}
