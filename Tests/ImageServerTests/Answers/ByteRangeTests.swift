// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageServer

struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-1", ByteRange.bytes(0..<2)), ("BYTES=0-1", .bytes(0..<2)), ("Bytes=-3", .bytes(7..<10)),
        ("bytes=2-99999999999999999999", .bytes(2..<10)), ("bytes=-99999999999999999999", .bytes(0..<10)),
        ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=3-2", .ignored), ("bytes=-", .ignored), ("bytes=0-1,3-4", .ignored), ("lines=0-1", .ignored),
        ("bytes=+1-2", .ignored), ("bytes=1-2-3", .ignored), ("bytes 0-1", .ignored),
    ])
    func `a range is read as it is meant`(field: String, range: ByteRange) {
        expectEqual(ByteRange(field, byteCount: 10), range)
    }
}
