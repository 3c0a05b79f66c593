// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct AgeRow: SourcedRow {
    let source: String
    let given: String
    let expected: Int
    /// Seconds between the request and the response.
    let delay: Int
    /// Seconds since the arrival.
    let resident: Int

    init(_ source: String, _ given: String, _ expected: Int, delay: Int = 0, resident: Int = 0) {
        (self.source, self.given, self.expected) = (source, given, expected)
        (self.delay, self.resident) = (delay, resident)
    }
}

struct AgeTests {
    static let rows: [AgeRow] = [
        AgeRow("RFC 9111, 4.2.3", "", 0),
        AgeRow("RFC 9111, 4.2.3 resident", "", 30, resident: 30),
        AgeRow("RFC 9111, 4.2.3 apparent", "Date: @-10", 10),
        AgeRow("RFC 9111, 4.2.3 apparent and resident", "Date: @-10", 40, resident: 30),
        AgeRow("RFC 9111, 4.2.3 Age", "Age: 7", 7),
        AgeRow("RFC 9111, 4.2.3 delay", "Age: 7", 12, delay: 5),
        AgeRow("RFC 9111, 4.2.3 delay alone", "", 5, delay: 5),
        AgeRow("RFC 9111, 4.2.3 the larger", "Age: 7 | Date: @-100", 100, delay: 5),
        AgeRow("RFC 9111, 4.2.3 the larger", "Age: 700 | Date: @-100", 735, delay: 5, resident: 30),
        AgeRow("RFC 9111, 4.2.3 Date in the future", "Date: @1000", 3, resident: 3),
        AgeRow("RFC 9111, 4.2.3 broken Date", "Date: x", 3, resident: 3),
        AgeRow("RFC 9111, 4.2.3 two dates", "Date: @-10 | Date: @-20", 0),
        AgeRow("RFC 9111, 4.2.3 obsolete Date", "Date: Wednesday, 31-Dec-25 23:59:00 GMT", 60),
        AgeRow("RFC 9111, 4.2.3 clock back in transfer", "", 0, delay: -50),
        AgeRow("RFC 9111, 4.2.3 clock back in transfer", "Age: 70", 70, delay: -50),
        AgeRow("RFC 9111, 4.2.3 clock back since", "Age: 7", 7, resident: -50),
        AgeRow("RFC 9111, 5.1 negative", "Age: -7", 0),
        AgeRow("RFC 9111, 5.1 decimal", "Age: 7.0", 0),
        AgeRow("RFC 9111, 5.1 word", "Age: old", 0),
        AgeRow("RFC 9111, 5.1 empty", "Age:", 0),
        AgeRow("RFC 9111, 5.1 first of a list", "Age: 7, 100", 7),
        AgeRow("RFC 9111, 5.1 first of a broken list", "Age: x, 100", 0),
        AgeRow("RFC 9111, 5.1 first line", "Age: 7 | Age: 100", 7),
        AgeRow("RFC 9111, 5.1 parameter", "Age: 7;a=b", 0),
        AgeRow("RFC 9111, 1.2.2 huge", "Age: 99999999999999999999999999", 2_147_483_648),
        AgeRow("RFC 9111, 1.2.2 huge and resident", "Age: 99999999999", 2_147_483_651, resident: 3),
        AgeRow("RFC 9111, 1.2.2 resident for ever", "", 2_147_483_648, resident: .max),
        AgeRow("RFC 9111, 4.2.3 oldest Date", "Date: Mon, 01 Jan 0001 00:00:00 GMT", 2_147_483_648),
    ]

    @Test(arguments: rows) func `the age is the largest that the fields and the clock tell`(row: AgeRow) {
        let response = StoredResponse(head: head(row.given, delay: row.delay))
        expectEqual(response.age(at: arrival.advanced(by: row.resident)), row.expected)
    }
}
