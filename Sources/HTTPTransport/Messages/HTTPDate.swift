// SPDX-License-Identifier: MIT
public import PlatformBasics

/// A time in whole seconds, as the fields of HTTP carry it.
///
/// Lies within the years 1 to 9999, so that differences never overflow.
/// - Source: RFC 9110, section 5.6.7.
public struct HTTPDate: Sendable, Hashable, Comparable {
    /// The seconds since 1970, without leap seconds.
    public let secondsSince1970: Int

    /// Creates a time. One outside of the years 1 to 9999 becomes the nearest within.
    public init(secondsSince1970 seconds: Int) {
        secondsSince1970 = min(max(seconds, -62_135_596_800), 253_402_300_799)
    }

    /// Creates a time from the clock's, without the fraction of the second.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(secondsSince1970: Int(exactly: seconds) ?? (seconds > 0 ? .max : .min))
    }

    /// Reads one of the three formats: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, or
    /// `Sun Nov  6 08:49:37 1994`.
    ///
    /// Letters of any case are accepted; other zones, missing or doubled spaces, and days that do not exist are not.
    ///
    /// - Parameters:
    ///   - text: The value of the field.
    ///   - receivedAt: Decides the century of a year with two digits: the date is at most 50 years after it.
    /// - Complexity: O(1). A text of more than 64 bytes is no date.
    public init?(_ text: String, receivedAt: HTTPDate) {
        guard text.utf8.count <= 64 else { return nil }
        let reading = DateReading(text)
        guard let seconds = reading.fixed ?? reading.asctime ?? reading.obsolete(receivedAt) else { return nil }
        self.init(secondsSince1970: seconds)
    }

    /// The time after a number of seconds.
    package func advanced(by seconds: Int) -> HTTPDate {
        HTTPDate(secondsSince1970: secondsSince1970 + min(max(seconds, -1 << 40), 1 << 40))
    }

    /// The time as a date of the clock.
    public var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }

    /// The seconds from another time to this one; negative when the other is later.
    public func seconds(since other: HTTPDate) -> Int { secondsSince1970 - other.secondsSince1970 }

    /// Whether the first is earlier.
    public static func < (first: HTTPDate, second: HTTPDate) -> Bool {
        first.secondsSince1970 < second.secondsSince1970
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The preferred format, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var description: String {
        let civil = CivilTime(secondsSince1970: secondsSince1970)
        func padded(_ number: Int, _ count: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
        let weekday = capitalized(String(DateReading.weekdays[civil.weekday].prefix(3)))
        return "\(weekday), \(padded(civil.day)) \(capitalized(CivilTime.months[civil.month - 1])) "
            + "\(padded(civil.year, 4)) \(padded(civil.hour)):\(padded(civil.minute)):\(padded(civil.second)) GMT"
    }
}

/// The three formats of a date, in lower case, each as the seconds since 1970.
private struct DateReading {
    static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    let words: [Substring]

    init(_ text: String) {
        let trimmed = Array(text.utf8.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed())
        let lowercased = trimmed.map(\.lowercasedASCII)
        words = String(decoding: lowercased, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    }

    var fixed: Int? {
        guard words.count == 6, words[5] == "gmt", words[0].last == ",", Self.isShortDay(words[0].dropLast()),
            let year = Self.number(words[3], 4)
        else { return nil }
        return Self.seconds(year, words[2], Self.number(words[1], 2), words[4])
    }

    var asctime: Int? {
        guard let weekday = words.first, Self.isShortDay(weekday), let last = words.last,
            let year = Self.number(last, 4)
        else { return nil }
        if words.count == 6, words[2].isEmpty {
            return Self.seconds(year, words[1], Self.number(words[3], 1), words[4])
        }
        return words.count == 5 ? Self.seconds(year, words[1], Self.number(words[2], 2), words[3]) : nil
    }

    func obsolete(_ receivedAt: HTTPDate) -> Int? {
        guard words.count == 4, words[3] == "gmt", words[0].last == ",",
            Self.weekdays.contains(String(words[0].dropLast()))
        else { return nil }
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let twoDigits = Self.number(parts[2], 2) else { return nil }
        let now = CivilTime(secondsSince1970: receivedAt.secondsSince1970)
        // The latest year with these digits that is at most 50 years ahead.
        let latest = now.year + 50
        let year = max(1, latest - (latest - twoDigits) % 100)
        func seconds(_ year: Int) -> Int? {
            Self.seconds(year, parts[1], Self.number(parts[0], 2), words[2])
        }
        // 50 years after a leap day is the day before.
        let halfCentury = CivilTime.secondsSince1970(
            year: latest, month: now.month, day: now.month == 2 ? min(now.day, 28) : now.day, hour: now.hour,
            minute: now.minute, second: now.second)
        guard year > 100, let time = seconds(year), time > halfCentury ?? .max else { return seconds(year) }
        return seconds(year - 100)
    }

    private static func seconds(_ year: Int, _ month: Substring, _ day: Int?, _ clock: Substring) -> Int? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard let day, let month = CivilTime.months.firstIndex(of: String(month)), parts.count == 3,
            let hour = number(parts[0], 2), let minute = number(parts[1], 2), let second = number(parts[2], 2)
        else { return nil }
        return CivilTime.secondsSince1970(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }

    private static func isShortDay(_ name: Substring) -> Bool {
        name.count == 3 && weekdays.contains { $0.hasPrefix(name) }
    }

    private static func number(_ text: Substring, _ count: Int) -> Int? {
        guard text.utf8.count == count, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }
}
