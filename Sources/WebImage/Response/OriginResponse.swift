public import Foundation
public import HTTPTransport

/// What the origin said about a picture, as of the last transfer that brought or confirmed it.
///
/// A value of one word: copies share their fields until one of them is changed.
public struct OriginResponse: Sendable, Hashable {
    private var fields: Shared<Fields>

    private struct Fields: Sendable, Hashable {
        var url: URL
        var status: Int
        var headers: HTTPHeaders
        var receivedAt: Date
        var metrics: HTTPMetrics?
    }

    /// Creates a value.
    public init(
        url: URL, status: Int, headers: HTTPHeaders, receivedAt: Date = .now, metrics: HTTPMetrics? = nil
    ) {
        fields = Shared(
            Fields(url: url, status: status, headers: headers, receivedAt: receivedAt, metrics: metrics))
    }

    private mutating func change(_ body: (inout Fields) -> Void) {
        var changed = fields.value
        body(&changed)
        fields = Shared(changed)
    }

    /// Whether both say the same.
    public static func == (one: OriginResponse, other: OriginResponse) -> Bool {
        one.fields === other.fields || one.fields.value == other.fields.value
    }

    /// Feeds every field.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields.value) }

    /// The address of the response, after redirects.
    public var url: URL {
        get { fields.value.url }
        set { change { $0.url = newValue } }
    }

    /// The status code.
    public var status: Int {
        get { fields.value.status }
        set { change { $0.status = newValue } }
    }

    /// The fields of the response. The disk cache keeps those in ``storedFields`` only.
    public var headers: HTTPHeaders {
        get { fields.value.headers }
        set { change { $0.headers = newValue } }
    }

    /// When the response arrived.
    public var receivedAt: Date {
        get { fields.value.receivedAt }
        set { change { $0.receivedAt = newValue } }
    }

    /// The measurements of the transfer; `nil` for a picture from a cache.
    public var metrics: HTTPMetrics? {
        get { fields.value.metrics }
        set { change { $0.metrics = newValue } }
    }

    /// The names of the fields that are kept on disk: those that describe the content and say how long it is valid.
    /// Cookies and other fields that may belong to one user are not among them.
    public static let storedFields: [String] = [
        "Age", "Cache-Control", "Content-Disposition", "Content-Language", "Content-Location", "Content-Type", "Date",
        "ETag", "Expires", "Last-Modified", "Vary",
    ]

    /// The entity tag, as received, with quotes and `W/`.
    public var entityTag: String? { headers["ETag"] }

    /// The `Last-Modified` field, as received.
    public var lastModified: String? { headers["Last-Modified"] }

    /// When the response stops being fresh, if the origin says so.
    ///
    /// `max-age` counts from the time of arrival less the response's `Age`, and goes before `Expires`. An `Expires` that
    /// is not a date means that the response is not fresh.
    ///
    /// - Source: RFC 9111, sections 4.2.1, 4.2.3 and 5.3.
    public var expiresAt: Date? {
        if let seconds = maximumAge {
            let age = headers["Age"].flatMap { Double($0.trimmingCharacters(in: .whitespaces)) } ?? 0
            return receivedAt.addingTimeInterval(seconds - min(max(0, age), Self.longestAge))
        }
        guard let expires = headers["Expires"] else { return nil }
        return HTTPDate.parse(expires) ?? receivedAt
    }

    /// The fields that ask the origin whether the content is still valid. Empty when the origin named no validator.
    ///
    /// - Source: RFC 9110, sections 13.1.2 and 13.1.3.
    var validators: HTTPHeaders {
        var fields = HTTPHeaders()
        if let entityTag { fields["If-None-Match"] = entityTag }
        if let lastModified { fields["If-Modified-Since"] = lastModified }
        return fields
    }

    /// The response after a 304, whose fields replace those of the same names.
    ///
    /// - Source: RFC 9111, section 4.3.4.
    func renewed(by response: OriginResponse) -> OriginResponse {
        OriginResponse(
            url: url, status: status, headers: response.headers.merged(over: headers), receivedAt: response.receivedAt,
            metrics: response.metrics)
    }

    /// Larger numbers of seconds count as this one.
    ///
    /// - Source: RFC 9111, section 1.2.2.
    private static let longestAge: Double = 2_147_483_648

    private var maximumAge: Double? {
        let directives = (headers["Cache-Control"] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        if directives.contains("no-cache") || directives.contains("no-store") { return 0 }
        guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }) else { return nil }
        let digits = directive.dropFirst("max-age=".count).trimmingCharacters(in: ["\""])
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        return min(Double(digits) ?? Self.longestAge, Self.longestAge)
    }
}

/// The dates of HTTP fields.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads a date in the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for anything else.
    ///
    /// - Source: RFC 9110, section 5.6.7.
    static func parse(_ text: String) -> Date? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 6, words[5] == "GMT", let day = number(words[1], in: 1...31),
            let month = months.firstIndex(of: words[2]), let year = number(words[3], in: 1...9_999)
        else { return nil }
        let time = words[4].split(separator: ":").map(String.init)
        guard time.count == 3, let hour = number(time[0], in: 0...23), let minute = number(time[1], in: 0...59),
            let second = number(time[2], in: 0...60)
        else { return nil }
        let days = daysSince1970(year: year, month: month + 1, day: day)
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }

    /// The days from 1 January 1970 in the Gregorian calendar.
    ///
    /// The year is taken to begin in March, so that the leap day is its last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (month * 153 + 2) / 5 + day - 1 - 719_468
    }
}
