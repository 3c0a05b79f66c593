// SPDX-License-Identifier: MIT
public import HTTPTransport

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
