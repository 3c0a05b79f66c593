// SPDX-License-Identifier: MIT
#if canImport(Glibc)
import Glibc
import TestSupport
import Testing

/// Two descriptors, closed with the last reference.
final class Pipe: Sendable {
    let output: Int32
    private let input: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        let result = unsafe pipe(&ends)
        try #require(result == 0)
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        close(output)
        close(input)
    }

    func write(_ byte: UInt8) {
        let written = unsafe [byte].withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, 1) }
        expectEqual(written, 1)
    }
}
#endif
