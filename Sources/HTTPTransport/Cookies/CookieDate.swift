// SPDX-License-Identifier: MIT
import PlatformBasics

/// The dates of cookies, which servers write in many ways.
/// - Source: RFC 6265, section 5.1.1.
enum CookieDate {
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
            } else if month == nil, let number = CivilTime.months.firstIndex(of: word.prefix(3).lowercased()) {
                month = number + 1
            } else if year == nil, [2, 4].contains(digits.count), let number = Int(digits) {
                year = number < 70 ? number + 2_000 : number < 100 ? number + 1_900 : number
            }
        }
        guard let time, let day, let month, let year, year >= 1_601, time[2] <= 59,
            let seconds = CivilTime.secondsSince1970(
                year: year, month: month, day: day, hour: time[0], minute: time[1], second: time[2])
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func clock(_ word: String) -> [Int]? {
        let parts = word.split(separator: ":").map { $0.prefix { $0.isASCII && $0.isNumber } }
        guard parts.count == 3, parts.allSatisfy({ (1...2).contains($0.count) }) else { return nil }
        return parts.compactMap { Int($0) }
    }
}
