// SPDX-License-Identifier: MIT
import Foundation
package import WebImageTesting

extension [UInt8] {
    /// Whether every byte is this one.
    ///
    /// - Complexity: O(n), of the C library's `memcmp`.
    package func isFilled(with byte: UInt8) -> Bool {
        guard let first else { return true }
        guard first == byte else { return false }
        // Each byte is compared with the one before it.
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }
}

extension OriginReply {
    /// Adds many header fields named `X-Padding-1`, `X-Padding-2` and so on.
    ///
    /// - Parameters:
    ///   - count: How many fields, at least one.
    ///   - valueByteCount: The size of each value.
    package func paddedHead(count: Int, valueByteCount: Int) -> OriginReply {
        let value = String(repeating: "x", count: valueByteCount)
        return (1...count).reduce(self) { reply, number in reply.header("X-Padding-\(number)", value) }
    }
}

extension SeededGenerator {
    /// Bytes that no coding makes shorter.
    package static func bytes(count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let numbers = (0..<(count + 7) / 8).map { _ in generator.next() }
        return unsafe numbers.withUnsafeBytes { unsafe Array($0.prefix(count)) }
    }
}
