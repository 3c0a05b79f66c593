// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// What a text says: where the rule stands, the text, and the seconds since 1970.
struct DateRow: CustomTestStringConvertible, Sendable {
    let source: String
    let given: String
    let expected: Int?

    init(_ source: String, _ given: String, _ expected: Int?) {
        (self.source, self.given, self.expected) = (source, given, expected)
    }

    var testDescription: String { "\(source): \(given.prefix(90))" }
}

struct HTTPDateTests {
    private let arrival = HTTPDate(secondsSince1970: 1_767_225_600)

    /// Received in 2026.
    static let rows: [DateRow] = [
        DateRow("RFC 9110, 5.6.7", "Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        DateRow("RFC 9110, 5.6.7", "Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        DateRow("RFC 9110, 5.6.7", "Sun Nov  6 08:49:37 1994", 784_111_777),
        DateRow("RFC 9110, 5.6.7 asctime with two digits", "Wed Nov 16 08:49:37 1994", 784_975_777),
        DateRow("RFC 9110, 5.6.7 epoch", "Thu, 01 Jan 1970 00:00:00 GMT", 0),
        DateRow("RFC 9110, 5.6.7 before the epoch", "Wed, 31 Dec 1969 23:59:59 GMT", -1),
        DateRow("RFC 9110, 5.6.7 leap day", "Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        DateRow("RFC 9110, 5.6.7 leap day of a century", "Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        DateRow("RFC 9110, 5.6.7 leap second", "Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        DateRow("RFC 9110, 5.6.7 last", "Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        DateRow("RFC 9110, 5.6.7 first", "Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
        DateRow("RFC 9110, 5.6.7 robust in case", "sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
        DateRow("RFC 9110, 5.6.7 weekday is not checked", "Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        DateRow("RFC 9110, 5.5 white space around", " Sun, 06 Nov 1994 08:49:37 GMT\t", 784_111_777),
        DateRow("RFC 9110, 5.6.7 two digits, this century", "Thursday, 01-Jan-26 00:00:00 GMT", 1_767_225_600),
        DateRow("RFC 9110, 5.6.7 less than 50 years ahead", "Friday, 01-Jan-70 00:00:00 GMT", 3_155_760_000),
        DateRow("RFC 9110, 5.6.7 more than 50 years ahead", "Thursday, 31-Dec-76 00:00:00 GMT", 220_838_400),
        DateRow("RFC 9110, 5.6.7 more than 50 years ahead", "Friday, 31-Dec-99 00:00:00 GMT", 946_598_400),
        DateRow("RFC 9110, 5.6.7 other zone", "Sun, 06 Nov 1994 08:49:37 UTC", nil),
        DateRow("RFC 9110, 5.6.7 other zone", "Sun, 06 Nov 1994 08:49:37 +0000", nil),
        DateRow("RFC 9110, 5.6.7 no zone", "Sun, 06 Nov 1994 08:49:37", nil),
        DateRow("RFC 9110, 5.6.7 two digits in the preferred format", "Sun, 06 Nov 94 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 one digit of a day", "Sun, 6 Nov 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 doubled space", "Sun, 06  Nov 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 dashes", "Sun, 06-Nov-1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 no comma", "Sun 06 Nov 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 no weekday", "06 Nov 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 dots", "Sun, 06 Nov 1994 08.49.37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 hour without zero", "Sun, 06 Nov 1994 8:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 no such day", "Sun, 31 Feb 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 no leap year", "Thu, 29 Feb 1900 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 day 0", "Sun, 00 Nov 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 hour 24", "Sun, 06 Nov 1994 24:00:00 GMT", nil),
        DateRow("RFC 9110, 5.6.7 minute 60", "Sun, 06 Nov 1994 08:60:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 second 61", "Sun, 06 Nov 1994 08:49:61 GMT", nil),
        DateRow("RFC 9110, 5.6.7 no such month", "Sun, 06 Nop 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 year 0", "Sun, 06 Nov 0000 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 five digits", "Sun, 06 Nov 19940 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 signed", "Sun, 06 Nov -994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 tail", "Sun, 06 Nov 1994 08:49:37 GMT x", nil),
        DateRow("RFC 9111, 5.3 zero", "0", nil),
        DateRow("RFC 9111, 5.3 minus one", "-1", nil),
        DateRow("RFC 9110, 5.6.7 empty", "", nil),
        DateRow("RFC 9110, 5.6.7 foreign digits", "Sun, ٠٦ Nov 1994 08:49:37 GMT", nil),
        DateRow("RFC 9110, 5.6.7 too long", "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 64), nil),
    ]

    @Test(arguments: rows) func `a date is read as its format says`(row: DateRow) {
        expectEqual(HTTPDate(row.given, receivedAt: arrival)?.secondsSince1970, row.expected)
    }

    @Test(arguments: Seeds.first(300)) func `what is written is read again, and no text traps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let date = HTTPDate(secondsSince1970: Int.random(in: -62_135_596_800...253_402_300_799, using: &generator))
        expectEqual(HTTPDate(date.description, receivedAt: arrival), date)
        generator = SeededGenerator(seed: seed)
        var text = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
        for _ in 0..<3 {
            text[Int.random(in: text.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let received = HTTPDate(secondsSince1970: Int.random(in: .min ... .max, using: &generator))
        let broken = HTTPDate(String(decoding: text, as: UTF8.self), receivedAt: received)
        expect(broken.map { $0 <= HTTPDate(secondsSince1970: .max) } ?? true, "\(text)")
    }

    @Test func `times outside of the years are the nearest within`() {
        expectEqual(HTTPDate(secondsSince1970: .max).description, "Fri, 31 Dec 9999 23:59:59 GMT")
        expectEqual(HTTPDate(secondsSince1970: .min).description, "Mon, 01 Jan 0001 00:00:00 GMT")
        expectEqual(HTTPDate(Date(timeIntervalSince1970: .infinity)), HTTPDate(secondsSince1970: .max))
        expectEqual(HTTPDate(Date(timeIntervalSince1970: -.infinity)), HTTPDate(secondsSince1970: .min))
        expectEqual(HTTPDate(Date(timeIntervalSince1970: 1.9)).secondsSince1970, 1)
        expectEqual(HTTPDate(Date(timeIntervalSince1970: -0.5)).secondsSince1970, -1)
        expectEqual(arrival.advanced(by: .max), HTTPDate(secondsSince1970: .max))
        expectEqual(arrival.advanced(by: .min), HTTPDate(secondsSince1970: .min))
    }
}
