// SPDX-License-Identifier: MIT
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
    /// - Complexity: O(n), a quarter of a microsecond for a URL.
    static func of(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        var digest = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        // SHA-256 writes 32 bytes, which is what `digest` has.
        unsafe withUnsafeMutableBytes(of: &digest) { digest in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                _ = unsafe SHA256(
                    bytes.baseAddress, bytes.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
        }
        return (UInt64(bigEndian: digest.0), UInt64(bigEndian: digest.1))
    }
}
#endif
