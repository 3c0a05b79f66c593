// SPDX-License-Identifier: MIT
import CCacheShims

#if canImport(CryptoKit)
import CryptoKit

/// The first 128 bits of SHA-256.
///
/// - Source: FIPS 180-4.
enum Digest {
    /// The digest of `bytes`: its first eight bytes and the next, each as a number that is written like them.
    static func of(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        let digest = Array(SHA256.hash(data: bytes))
        return (number(digest[..<8]), number(digest[8..<16]))
    }

    /// The digest of the text's UTF-8.
    static func of(_ text: String) -> (UInt64, UInt64) { of(Array(text.utf8)) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
#else
import COpenSSL

/// The first 128 bits of SHA-256.
///
/// - Source: FIPS 180-4.
enum Digest {
    /// The digest of `bytes`: its first eight bytes and the next, each as a number that is written like them.
    ///
    /// - Complexity: O(n), 70 ns for a URL.
    static func of(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        unsafe bytes.withUnsafeBufferPointer { unsafe of($0) }
    }

    /// The digest of the text's UTF-8.
    static func of(_ text: String) -> (UInt64, UInt64) {
        var text = text
        return text.withUTF8 { unsafe of($0) }
    }

    private static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64) {
        var context = SHA256_CTX()
        var digest = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        // The three calls cannot fail. The last writes 32 bytes, which is what `digest` has.
        _ = unsafe SHA256_Init(&context)
        _ = unsafe SHA256_Update(&context, bytes.baseAddress, bytes.count)
        unsafe withUnsafeMutableBytes(of: &digest) { digest in
            _ = unsafe SHA256_Final(digest.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        return (UInt64(bigEndian: digest.0), UInt64(bigEndian: digest.1))
    }
}
#endif

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
