#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dates of cookies, which servers write in many ways.
/// - Source: RFC 6265, section 5.1.1.
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Reads a date; `nil` for a text without day, month, year or time.
    static func parse(_ text: String) -> Date? {
        var (time, day, month, year) = ([Int]?.none, Int?.none, Int?.none, Int?.none)
        // Everything but digits, letters and the colon separates.
        let words = text.utf8.split { byte in
            !((0x30...0x3A).contains(byte) || (0x61...0x7A).contains(byte.lowercasedASCII) || byte >= 0x7F)
        }
        for word in words.prefix(20).map({ String(Substring($0)) }) {
            let digits = word.prefix { $0.isASCII && $0.isNumber }
            if time == nil, let clock = clock(word) {
                time = clock
            } else if day == nil, (1...2).contains(digits.count), let number = Int(digits) {
                day = number
            } else if month == nil, let number = months.firstIndex(of: word.prefix(3).lowercased()) {
                month = number + 1
            } else if year == nil, [2, 4].contains(digits.count), let number = Int(digits) {
                year = number < 70 ? number + 2_000 : number < 100 ? number + 1_900 : number
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), (1_601...9_999).contains(year),
            time[0] <= 23, time[1] <= 59, time[2] <= 59
        else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func clock(_ word: String) -> [Int]? {
        let parts = word.split(separator: ":").map { $0.prefix { $0.isASCII && $0.isNumber } }
        guard parts.count == 3, parts.allSatisfy({ (1...2).contains($0.count) }) else { return nil }
        return parts.compactMap { Int($0) }
    }

    /// The days since 1970 in the Gregorian calendar, counted in years that begin in March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
