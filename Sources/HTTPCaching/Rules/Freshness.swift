// SPDX-License-Identifier: MIT
public import HTTPTransport

/// How long a response is fresh, and why.
public struct FreshnessLifetime: Sendable, Hashable {
    /// What the lifetime was taken from.
    public enum Source: Sendable, Hashable {
        /// `s-maxage`, in the shared scope.
        case sharedMaxAge
        /// `max-age`.
        case maxAge
        /// `Expires`.
        case expires
        /// A share of the time since `Last-Modified`.
        case heuristic
        /// The rules' lifetime of a 404 or 410.
        case negative
        /// Nothing: the response is stale from the start.
        case none
    }

    /// Seconds from the response's origination: 0 … 2^31.
    public let seconds: Int
    /// What it was taken from.
    public let source: Source

    /// Whether the origin named it.
    package var isExplicit: Bool { source == .sharedMaxAge || source == .maxAge || source == .expires }
}

extension HTTPCacheRules {
    /// The directives that hold for this cache: those of the first targeted field that is valid and not empty, else
    /// those of `Cache-Control`.
    ///
    /// - Complexity: O(number of fields + bytes of the directives).
    /// - Source: RFC 9213, section 2.2.
    package func directives(of headers: HTTPHeaders) -> CacheControl { effective(headers).control }

    /// The directives, and whether a targeted field hides `Cache-Control` and `Expires`.
    func effective(_ headers: HTTPHeaders) -> (control: CacheControl, isTargeted: Bool) {
        for name in targetedFields {
            if let control = CacheControl(targeted: name, in: headers) { return (control, true) }
        }
        return (CacheControl(headers), false)
    }

    /// How long a response is fresh.
    ///
    /// `s-maxage` in the shared scope goes before `max-age`, that before `Expires`, and that before a heuristic. An
    /// `Expires` that is not one date, such as `0`, makes the response stale.
    ///
    /// - Complexity: O(number of fields + bytes of the directives).
    /// - Source: RFC 9111, sections 4.2.1, 4.2.2 and 5.3.
    public func lifetime(of response: StoredResponse) -> FreshnessLifetime {
        lifetime(of: response, effective(response.head.headers))
    }

    func lifetime(
        of response: StoredResponse, _ directives: (control: CacheControl, isTargeted: Bool)
    ) -> FreshnessLifetime {
        let (control, head) = (directives.control, response.head)
        if control.isMalformed { return FreshnessLifetime(seconds: 0, source: .none) }
        if scope == .shared, let seconds = control.sharedMaxAge {
            return FreshnessLifetime(seconds: seconds, source: .sharedMaxAge)
        }
        if let seconds = control.maxAge { return FreshnessLifetime(seconds: seconds, source: .maxAge) }
        if !directives.isTargeted, head.headers.contains(name: "Expires") {
            let seconds = head.date("Expires")?.seconds(since: response.date) ?? 0
            return FreshnessLifetime(seconds: DeltaSeconds.clamped(seconds), source: .expires)
        }
        return heuristicLifetime(of: response, isPublic: control.isPublic)
    }

    private func heuristicLifetime(of response: StoredResponse, isPublic: Bool) -> FreshnessLifetime {
        let status = response.head.status
        let none = FreshnessLifetime(seconds: 0, source: .none)
        guard Self.heuristicStatuses.contains(status) || isPublic else { return none }
        if let modified = response.head.date("Last-Modified") {
            let past = DeltaSeconds.clamped(response.date.seconds(since: modified))
            let share = past * min(max(0, heuristicPercentage), 100) / 100
            let seconds = min(share, DeltaSeconds.clamped(longestHeuristicLifetime))
            return FreshnessLifetime(seconds: seconds, source: .heuristic)
        }
        guard status == 404 || status == 410 else { return none }
        return FreshnessLifetime(seconds: DeltaSeconds.clamped(negativeLifetime), source: .negative)
    }

    /// The statuses whose responses may be given a lifetime that is not explicit.
    /// - Source: RFC 9110, section 15.1. 206 is left out: partial responses are not stored.
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
}

extension StoredResponse {
    /// How old the response is, in seconds: the largest of what `Date` and `Age` say, and the time in this cache.
    ///
    /// A `Date` in the future, a clock that ran backwards between request and response, and a time before the arrival
    /// count as no time at all. Of several values of `Age` the first counts; one that is not a number is ignored.
    ///
    /// - Returns: 0 … 2^33.
    /// - Complexity: O(number of fields).
    /// - Source: RFC 9111, sections 4.2.3 and 5.1.
    public func age(at now: HTTPDate) -> Int {
        let apparent = max(0, head.responseTime.seconds(since: date))
        let delay = max(0, head.responseTime.seconds(since: head.requestTime))
        let initial = max(apparent, ageValue + delay)
        let resident = max(0, now.seconds(since: head.responseTime))
        return DeltaSeconds.clamped(initial) + DeltaSeconds.clamped(resident)
    }

    private var ageValue: Int {
        guard let line = head.headers.values(for: "Age").first, line.utf8.count <= 1_024,
            let first = FieldText.members(of: Array(line.utf8)).first
        else { return 0 }
        return DeltaSeconds.parse(first) ?? 0
    }
}
