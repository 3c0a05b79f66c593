// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The bytes that a report of progress carries.
@Suite(.balanced) struct ReceivedBytesTests {
    @Test(arguments: 0..<20 as Range<UInt64>) func `each report has the bytes of its moment, also after the end`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let body = ArrivingBody(expecting: nil)
        var (all, reports): ([UInt8], [ReceivedBytes]) = ([], [])
        for number in 0..<12 {
            let chunk = [UInt8](repeating: UInt8(number), count: .random(in: 0...20_000, using: &random))
            all += chunk
            reports.append(ReceivedBytes(body, count: body.append(chunk)))
        }
        for report in reports { expectEqual(report.bytes, Array(all.prefix(report.count))) }
        expectEqual(body.finish(), all)
        for report in reports { expectEqual(report.bytes, Array(all.prefix(report.count))) }
        // A caller that hears of the transfer after its end begins no preview: nothing would end it.
        body.endPreviews()
        for report in reports { expect(report.previews == nil) }
    }

    @Test func `the part that has come is at most the whole, and unknown without a length`() {
        for (received, expected, part) in [(1, 4, 0.25), (4, 4, 1), (5, 4, 1), (3, 0, nil), (3, nil, nil)]
            as [(Int, Int?, Double?)]
        {
            expectEqual(LoadProgress(receivedByteCount: received, expectedByteCount: expected).fraction, part)
        }
    }
}
