// SPDX-License-Identifier: MIT
import CCacheShims

/// The 64-bit checksums of cache entries.
///
/// It finds damage, not forgery: a process that may write to the cache folder can also write a matching checksum.
enum Checksum {
    /// XXH64 of `bytes`, seeded so that parts can be chained.
    ///
    /// - Complexity: O(n), four 64-bit words per step.
    static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        of(bytes[...], seed: seed)
    }

    /// XXH64 of a part of an array.
    ///
    /// - Complexity: O(n), four 64-bit words per step.
    static func of(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBufferPointer { unsafe swi_xxh64($0.baseAddress, $0.count, seed) }
    }

    /// The checksum of a content: XXH3 of more than 240 bytes, and XXH64 of fewer.
    ///
    /// - Complexity: O(n), eight 64-bit words per step: about the speed of memory.
    static func ofContent(_ bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBufferPointer { unsafe swi_content_checksum($0.baseAddress, $0.count) }
    }
}
