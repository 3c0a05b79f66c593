// SPDX-License-Identifier: MIT
import PlatformBasics

// Without optimisation, the standard library compares the bytes of arrays one by one through a witness table, about
// fifty times slower than memory is compared.

/// Whether two arrays hold the same bytes.
///
/// - Complexity: O(n), of the C library's `memcmp`.
package func == (left: [UInt8], right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    // Both buffers live as long as the call, and hold `count` bytes.
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            guard let first = left.baseAddress, let second = right.baseAddress else { return true }
            return unsafe memcmp(first, second, left.count) == 0
        }
    }
}
