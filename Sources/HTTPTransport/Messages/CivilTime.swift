// SPDX-License-Identifier: MIT
/// A time of the Gregorian calendar, in UTC.
///
/// Not that of the C library, which counts leap seconds where the environment names a zone that has them.
package struct CivilTime {
    /// The names of the months in lower case, as fields have them.
    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    package let (year, month, day): (Int, Int, Int)
    package let (hour, minute, second): (Int, Int, Int)
    /// 0 for a Sunday.
    let weekday: Int

    /// Creates the time of a number of seconds, which lies in the years 1 to 9999.
    package init(secondsSince1970: Int) {
        // Counted from 1 March of year 0, in eras of 400 years. The leap day is then the last of its year.
        let seconds = secondsSince1970 + Self.firstMarch * 86_400
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60)
        weekday = (days + 3) % 7
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The seconds since 1970 at a time; `nil` for one that does not exist. The second may be 60, a leap second.
    static func secondsSince1970(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> Int? {
        guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let (marchYear, shifted) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        let days = marchYear * 365 + leapDays + (shifted * 153 + 2) / 5 + day - 1 - firstMarch
        // 30 February is another day.
        guard CivilTime(secondsSince1970: days * 86_400).day == day else { return nil }
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// The days from 1 March of year 0 to 1 January 1970.
    private static let firstMarch = 719_468
}
