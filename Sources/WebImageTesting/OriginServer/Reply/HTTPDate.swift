internal import Foundation

/// Dates as HTTP writes them.
///
/// - Source: RFC 9110, section 5.6.7: the preferred format alone, as the obsolete ones need a guess at the century.
enum HTTPDate {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The date in whole seconds, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Dates outside of the years 1 to 9999 become the nearest that can be written.
    static func string(from date: Date) -> String {
        let seconds = Int(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
        let (day, time) = seconds.quotientAndRemainder(dividingByFloor: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        let weekday = days[(day + 3).quotientAndRemainder(dividingByFloor: 7).remainder]
        return "\(weekday), \(padded(dayOfMonth)) \(months[month - 1]) \(padded(year, 4)) "
            + "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
    }

    /// The date in the form `YYYYMMDDHHMMSSZ` that certificates use.
    static func certificateTime(from date: Date) -> String {
        let parts = string(from: date).split { $0 == " " || $0 == ":" }
        let month = (months.firstIndex(of: String(parts[2])) ?? 0) + 1
        return "\(parts[3])\(padded(month))\(parts[1])\(parts[4])\(parts[5])\(parts[6])Z"
    }

    /// - Returns: `nil` when the string is not a date in the preferred format.
    static func seconds(parsing string: String) -> Int? {
        let parts = string.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", parts[0].count == 4, parts[0].last == ",",
            days.contains(String(parts[0].dropLast())), let month = months.firstIndex(of: String(parts[2])),
            let day = number(parts[1], 2), (1...31).contains(day), let year = number(parts[3], 4)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], 2), let minute = number(time[1], 2),
            let second = number(time[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return dayNumber(year, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: Substring, _ count: Int) -> Int? {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Days since 1970 of a date of the Gregorian calendar.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years that begin in March put the leap day last.
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.quotientAndRemainder(dividingByFloor: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (dayNumber + 719_468).quotientAndRemainder(dividingByFloor: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Int {
    fileprivate func quotientAndRemainder(dividingByFloor divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
