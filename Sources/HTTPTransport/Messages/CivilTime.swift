// SPDX-License-Identifier: MIT
import PlatformBasics

/// A time of the Gregorian calendar, in UTC.
package struct CivilTime {
    /// The names of the months in lower case, as fields have them.
    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    package let (year, month, day): (Int, Int, Int)
    package let (hour, minute, second): (Int, Int, Int)
    /// 0 for a Sunday.
    let weekday: Int

    /// Creates the time of a number of seconds, which lies in the years 1 to 9999.
    package init(secondsSince1970: Int) {
        var (seconds, fields) = unsafe (secondsSince1970, tm())
        unsafe gmtime_r(&seconds, &fields)
        year = unsafe Int(fields.tm_year) + 1_900
        month = unsafe Int(fields.tm_mon) + 1
        day = unsafe Int(fields.tm_mday)
        (hour, minute, second) = unsafe (Int(fields.tm_hour), Int(fields.tm_min), Int(fields.tm_sec))
        weekday = unsafe Int(fields.tm_wday)
    }

    /// The seconds since 1970 at a time; `nil` for one that does not exist. The second may be 60, a leap second.
    static func secondsSince1970(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> Int? {
        guard (1...9_999).contains(year), (0...60).contains(second) else { return nil }
        var fields = unsafe tm()
        unsafe fields.tm_year = Int32(year - 1_900)
        unsafe (fields.tm_mon, fields.tm_mday) = (Int32(month - 1), Int32(day))
        unsafe (fields.tm_hour, fields.tm_min) = (Int32(hour), Int32(minute))
        let minuteBegin = unsafe timegm(&fields)
        // Of a time that does not exist, such as 30 February, `timegm` makes another one.
        let exists = unsafe (Int(fields.tm_mon), Int(fields.tm_mday), Int(fields.tm_hour)) == (month - 1, day, hour)
        return exists && (0...59).contains(minute) ? minuteBegin + second : nil
    }
}
