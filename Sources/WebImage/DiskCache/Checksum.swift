// SPDX-License-Identifier: MIT
import CCacheShims

/// The 64-bit checksum of cache entries: XXH64, which runs at about the speed of memory.
///
/// It finds damage, not forgery: a process that may write to the cache folder can also write a matching checksum.
enum Checksum {
    /// The checksum of `bytes`, seeded so that parts can be chained.
    ///
    /// - Complexity: O(n), four 64-bit words per step.
    static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        of(bytes[...], seed: seed)
    }

    /// The checksum of a part of an array.
    ///
    /// - Complexity: O(n), four 64-bit words per step.
    static func of(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBufferPointer { unsafe swi_xxh64($0.baseAddress, $0.count, seed) }
    }
}
