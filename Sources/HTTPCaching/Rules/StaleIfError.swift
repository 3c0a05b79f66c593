// SPDX-License-Identifier: MIT
public import HTTPTransport

/// How the origin failed to answer.
public enum OriginFailure: Sendable, Hashable {
    /// No response arrived.
    case noResponse
    /// A response with this status arrived.
    case status(Int)
}

extension HTTPCacheRules {
    /// The stored response that stands in for a failing origin; `nil` when the failure is the answer (a 504, if no
    /// response arrived).
    ///
    /// Of the windows of the request and of the response the longer counts; without either,
    /// ``staleIfErrorByDefault``. A response that must be validated never stands in.
    ///
    /// - Parameters:
    ///   - failure: Statuses other than 500, 502, 503 and 504 are answers, not failures.
    ///   - request: What the caller asked for.
    ///   - stored: The responses that are stored for the address.
    ///   - now: The time of the decision.
    /// - Complexity: O(number of variants × number of fields).
    /// - Source: RFC 5861, section 4; RFC 9111, sections 4.2.4, 4.3.3 and 5.2.2.2.
    public func standIn(
        on failure: OriginFailure, for request: HTTPRequest, stored: [StoredResponse], now: HTTPDate
    ) -> Selection? {
        if case .status(let status) = failure, ![500, 502, 503, 504].contains(status) { return nil }
        guard request.method == "GET" || request.method == "HEAD",
            let index = latest(of: matching(request, stored), in: stored)
        else { return nil }
        let wishes = RequestCacheControl(request.headers)
        let candidate = Candidate(self, request, wishes, stored[index], index, now)
        let isFresh = candidate.selection.isFresh
        guard !wishes.noCache, !candidate.mustAlwaysValidate, isFresh || candidate.allowsStale else { return nil }
        // Older than the request accepts, it is in the place of a stale one.
        if isFresh, wishes.maxAge == nil { return candidate.selection }
        let windows = [wishes.staleIfError, candidate.control.staleIfError].compactMap(\.self)
        let window = windows.max() ?? DeltaSeconds.clamped(staleIfErrorByDefault)
        return -candidate.selection.secondsToLive <= window && window > 0 ? candidate.selection : nil
    }
}
