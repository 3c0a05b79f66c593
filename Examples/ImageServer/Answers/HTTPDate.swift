import Foundation

/// The dates of HTTP fields.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads a date in the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for anything else.
    ///
    /// - Returns: Seconds since 1970.
    /// - Source: RFC 9110, section 5.6.7.
    static func parse(_ text: String) -> Int? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].count == 4, words[5] == "GMT",
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let day = number(words[1], 2, in: 1...31), let year = number(words[3], 4, in: 1...9_999),
            let hour = number(time[0], 2, in: 0...23), let minute = number(time[1], 2, in: 0...59),
            let second = number(time[2], 2, in: 0...60)
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1_900), Int32(month), Int32(day))
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        return unsafe timegm(&parts)
    }

    /// Whether a text has the length and the end of a date, which costs less to find out than what it says.
    static func isShaped(_ text: String) -> Bool {
        text.utf8.count == 29 && text.utf8.suffix(4).elementsEqual(" GMT".utf8)
    }

    private static func number(_ text: Substring, _ count: Int, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.count == count, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else { return nil }
        return number
    }
}
