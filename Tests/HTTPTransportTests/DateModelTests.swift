// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

/// Dates in their three formats against a calendar that counts year by year and month by month.
struct DateModelTests {
    @Test func `a date is read in each format, in letters of any case`() async {
        await Property(cases: 1_500) { draw in
            let date = PlainDate(&draw)
            let text = draw.oneOf([date.fixed, date.asctime, date.obsolete])
            let cased = text.map { draw.isTrue(oneIn: 6) ? $0.uppercased() : $0.lowercased() }.joined()
            return (date: date, text: text, written: draw.oneOf(["", " ", "\t"]) + cased + draw.oneOf(["", " \t"]))
        }.holds { date, text, written in
            let arrival = HTTPDate(secondsSince1970: date.secondsSince1970)
            let read = HTTPDate(written, receivedAt: arrival)
            return difference(read?.secondsSince1970, date.secondsSince1970)
                ?? difference(read?.description, date.fixed, "description:")
        }
    }

    @Test func `two digits are the latest year that is at most fifty years after the arrival`() async {
        await Property(cases: 1_500) { draw in
            let date = PlainDate(&draw)
            return (date: date, distance: draw.number(-49...50), hasPassed: draw.isTrue())
        }.holds { date, distance, hasPassed in
            // Far enough from the ends of the calendar, and from the end of the fifty years.
            guard (200...9_800).contains(date.year), date.day < 29 else { return nil }
            var arrival = date
            arrival.year -= distance
            if hasPassed { arrival.year += 100 }
            let read = HTTPDate(
                date.obsolete, receivedAt: HTTPDate(secondsSince1970: arrival.secondsSince1970))
            let century = hasPassed ? 100 : 0
            // The same two digits, a century later, are not more than fifty years ahead.
            var expected = date
            expected.year += century
            return difference(read?.description.dropFirst(5), expected.fixed.dropFirst(5))
        }
    }

    @Test func `a text that is read is one of the three formats`() async {
        let alphabet = Array("0123456789 ,:-GMTadeFnov\t").map { String($0) }
        await Property(cases: 5_000) { draw in
            let date = PlainDate(&draw)
            var text = Array(draw.oneOf([date.fixed, date.asctime, date.obsolete])).map { String($0) }
            for _ in 0..<draw.number(1...2) { text[draw.number(0...text.count - 1)] = draw.oneOf(alphabet) }
            return (text: text.joined(), arrival: HTTPDate(secondsSince1970: date.secondsSince1970))
        }.holds { text, arrival in
            guard let read = HTTPDate(text, receivedAt: arrival), !text.contains(":60") else { return nil }
            let date = PlainDate(secondsSince1970: read.secondsSince1970)
            let trimmed = text.lowercased().trimmingPrefix { $0 == " " || $0 == "\t" }
            // The weekday is not checked, and a year of two digits has any century.
            let forms =
                [date.fixed.dropFirst(5), date.asctime.dropFirst(4), date.obsolete.drop { $0 != "," }]
                + [date.asctime.dropFirst(4).replacing("  ", with: " 0")]
            return unless(
                forms.contains { form in
                    let form = form.lowercased()
                    return trimmed.hasSuffix(form) || trimmed.hasSuffix(form + " ") || trimmed.hasSuffix(form + "\t")
                }, "is read as \(read)")
        }
    }
}

/// A date of the Gregorian calendar.
private struct PlainDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    var year: Int
    let month, day, hour, minute, second: Int

    init(_ draw: inout Generator) {
        year = draw.oneOf([1970, 2000, draw.number(1950...2060), draw.number(1...9_999)])
        month = draw.number(1...12)
        day = draw.number(1...Self.length(of: month, year))
        (hour, minute, second) = (draw.number(0...23), draw.number(0...59), draw.number(0...59))
    }

    init(secondsSince1970 seconds: Int) {
        // From 1 January of year 1, a Monday.
        var rest = seconds + 719_162 * 86_400
        second = rest % 60
        minute = rest / 60 % 60
        hour = rest / 3_600 % 24
        rest /= 86_400
        var month = 1
        let year = Self.starts.prefix { $0 <= rest }.count
        rest -= Self.starts[year - 1]
        while rest >= Self.length(of: month, year) {
            rest -= Self.length(of: month, year)
            month += 1
        }
        (self.year, self.month, day) = (year, month, rest + 1)
    }

    /// The days before each year, from 1 on.
    private static let starts = (1...9_999).reduce(into: [0]) { $0.append(($0.last ?? 0) + (isLeap($1) ? 366 : 365)) }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 400) || year.isMultiple(of: 4) && !year.isMultiple(of: 100)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private var daysSinceYear1: Int {
        Self.starts[year - 1] + (1..<month).reduce(0) { $0 + Self.length(of: $1, year) } + day - 1
    }

    var secondsSince1970: Int { ((daysSinceYear1 - 719_162) * 24 + hour) * 3_600 + minute * 60 + second }

    private static func digits(_ number: Int, _ count: Int = 2, padding: String = "0") -> String {
        let text = String(number)
        return String(repeating: padding, count: count - text.count) + text
    }

    private var weekday: String { Self.days[daysSinceYear1 % 7] }
    private var clock: String { [hour, minute, second].map { Self.digits($0) }.joined(separator: ":") }
    private var name: String { Self.months[month - 1] }

    var fixed: String {
        "\(weekday.prefix(3)), \(Self.digits(day)) \(name) \(Self.digits(year, 4)) \(clock) GMT"
    }
    var asctime: String {
        "\(weekday.prefix(3)) \(name) \(Self.digits(day, padding: " ")) \(clock) \(Self.digits(year, 4))"
    }
    var obsolete: String { "\(weekday), \(Self.digits(day))-\(name)-\(Self.digits(year % 100)) \(clock) GMT" }
}
