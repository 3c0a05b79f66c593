// SPDX-License-Identifier: MIT
/// A time of the Gregorian calendar, in UTC.
package struct CivilTime {
    package let (year, month, day): (Int, Int, Int)
    package let (hour, minute, second): (Int, Int, Int)

    /// Creates a time; `nil` for one that does not exist. The second may be 60, a leap second.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...9_999).contains(year), (1...12).contains(month), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Creates the time of a number of seconds, which lies in the years 1 to 9999.
    package init(secondsSince1970 seconds: Int) {
        let dayNumber = (seconds - Self.remainder(seconds, 86_400)) / 86_400
        let time = Self.remainder(seconds, 86_400)
        (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60)
        // Counted from 1 March of year 0, in eras of 400 years.
        let days = dayNumber + 719_468
        let (era, dayOfEra) = (days / 146_097, days % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    var secondsSince1970: Int { dayNumber * 86_400 + hour * 3_600 + minute * 60 + second }

    /// 0 for a Monday.
    var weekday: Int { Self.remainder(dayNumber + 3, 7) }

    /// The days since 1970. The year is taken to begin in March, so that the leap day is its last.
    private var dayNumber: Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
    }

    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func remainder(_ number: Int, _ divisor: Int) -> Int {
        let remainder = number % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
