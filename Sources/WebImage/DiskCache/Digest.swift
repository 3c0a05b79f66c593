// SPDX-License-Identifier: MIT
import CCacheShims

#if canImport(CryptoKit)
import CryptoKit

/// The first 128 bits of SHA-256.
///
/// - Source: FIPS 180-4.
package enum Digest {
    /// The digest of `bytes`: its first eight bytes and the next, each as a number that is written like them.
    static func of(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        let digest = Array(SHA256.hash(data: bytes))
        return (number(digest[..<8]), number(digest[8..<16]))
    }

    /// The digest of the text's UTF-8.
    static func of(_ text: String) -> (UInt64, UInt64) { of(Array(text.utf8)) }

    /// All of SHA-256 of `bytes`, in 64 hexadecimal digits.
    package static func text(of bytes: [UInt8]) -> String {
        let digest = Array(SHA256.hash(data: bytes))
        let halves = [0, 16].map { (number(digest[$0..<$0 + 8]), number(digest[$0 + 8..<$0 + 16])) }
        return halves.map { KeyDigest(high: $0.0, low: $0.1).fileName }.joined()
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
#else
import COpenSSL

/// The first 128 bits of SHA-256.
///
/// - Source: FIPS 180-4.
package enum Digest {
    /// The digest of `bytes`: its first eight bytes and the next, each as a number that is written like them.
    ///
    /// - Complexity: O(n), 70 ns for a URL.
    static func of(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        let words = unsafe bytes.withUnsafeBufferPointer { unsafe whole(of: $0) }
        return (words.0, words.1)
    }

    /// The digest of the text's UTF-8.
    static func of(_ text: String) -> (UInt64, UInt64) {
        var text = text
        let words = text.withUTF8 { unsafe whole(of: $0) }
        return (words.0, words.1)
    }

    /// All of SHA-256 of `bytes`, in 64 hexadecimal digits.
    package static func text(of bytes: [UInt8]) -> String {
        let words = unsafe bytes.withUnsafeBufferPointer { unsafe whole(of: $0) }
        return KeyDigest(high: words.0, low: words.1).fileName + KeyDigest(high: words.2, low: words.3).fileName
    }

    private static func whole(of bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64, UInt64, UInt64) {
        var context = SHA256_CTX()
        var digest = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        // The three calls cannot fail. The last writes 32 bytes, which is what `digest` has.
        _ = unsafe SHA256_Init(&context)
        _ = unsafe SHA256_Update(&context, bytes.baseAddress, bytes.count)
        unsafe withUnsafeMutableBytes(of: &digest) { digest in
            _ = unsafe SHA256_Final(digest.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        return (
            UInt64(bigEndian: digest.0), UInt64(bigEndian: digest.1), UInt64(bigEndian: digest.2),
            UInt64(bigEndian: digest.3)
        )
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
