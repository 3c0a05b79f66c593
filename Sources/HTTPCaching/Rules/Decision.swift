// SPDX-License-Identifier: MIT
public import HTTPTransport

extension HTTPCacheRules {
    /// Decides what to do with a request.
    ///
    /// - Parameters:
    ///   - request: What a caller asks for.
    ///   - stored: The response that is stored for the address, if any.
    ///   - now: The time of the decision.
    /// - Complexity: O(number of fields + bytes of the directives).
    /// - Source: RFC 9111, section 4.
    public func decide(_ request: HTTPRequest, stored: StoredResponse?, now: HTTPDate) -> CacheDecision {
        decide(request, stored: stored.map { [$0] } ?? [], now: now)
    }

    /// Decides what to do with a request for which several variants may be stored.
    ///
    /// Of the variants that the request selects, the one with the latest `Date` counts. A range is not cut here: the
    /// whole response answers it, or the caller cuts it (RFC 9110, section 14.2).
    ///
    /// - Parameters:
    ///   - request: What a caller asks for.
    ///   - stored: The responses that are stored for the address, in any order.
    ///   - now: The time of the decision.
    /// - Complexity: O(number of variants × number of fields).
    /// - Source: RFC 9111, sections 4 and 4.1.
    public func decide(_ request: HTTPRequest, stored: [StoredResponse], now: HTTPDate) -> CacheDecision {
        let control = RequestCacheControl(request.headers)
        func ask(_ reason: CacheDecision.ForwardReason) -> CacheDecision {
            control.onlyIfCached ? .gatewayTimeout(reason) : .forward(reason)
        }
        guard request.method == "GET" || request.method == "HEAD" else { return ask(.method) }
        // These ask the origin about its own state: RFC 9111, section 4.3.2.
        if ["If-Match", "If-Unmodified-Since"].contains(where: { request.headers.contains(name: $0) }) {
            return ask(.request)
        }
        if stored.isEmpty { return ask(.uriMiss) }
        guard let index = latest(of: matching(request, stored), in: stored) else { return ask(.varyMiss) }

        let candidate = Candidate(self, request, control, stored[index], index, now)
        switch candidate.verdict {
        case .fresh: return .useFresh(candidate.selection)
        case .stale: return .useStale(candidate.selection)
        case .staleWhileRevalidating:
            if control.onlyIfCached { return .useStale(candidate.selection) }
            return .useWhileRevalidating(candidate.selection, candidate.conditions(.stale))
        case .unusable(let reason):
            guard !control.onlyIfCached, let revalidation = candidate.revalidation(reason) else { return ask(reason) }
            return .revalidate(candidate.selection, revalidation)
        }
    }

    /// The conditions that ask whether a stored response is still valid; `nil` when it has no validator.
    ///
    /// - Source: RFC 9111, section 4.3.1.
    public func revalidation(of stored: StoredResponse, for request: HTTPRequest, now: HTTPDate) -> Revalidation? {
        Candidate(self, request, RequestCacheControl(request.headers), stored, 0, now).revalidation(.stale)
    }

    /// The positions of the responses that a request selects.
    func matching(_ request: HTTPRequest, _ stored: [StoredResponse]) -> [Int] {
        stored.indices.filter { matches(stored[$0], request.headers) }
    }

    /// The position of the most recent response.
    /// - Source: RFC 9111, section 4.
    func latest(of indices: [Int], in stored: [StoredResponse]) -> Int? {
        indices.max {
            (stored[$0].date, stored[$0].head.responseTime) < (stored[$1].date, stored[$1].head.responseTime)
        }
    }
}

/// A stored response, seen from a request.
struct Candidate {
    enum Verdict {
        case fresh
        case stale
        case staleWhileRevalidating
        case unusable(CacheDecision.ForwardReason)
    }

    let rules: HTTPCacheRules
    let request: HTTPRequest
    let wishes: RequestCacheControl
    let stored: StoredResponse
    let control: CacheControl
    let selection: Selection
    private let isFromTheFuture: Bool

    init(
        _ rules: HTTPCacheRules, _ request: HTTPRequest, _ wishes: RequestCacheControl, _ stored: StoredResponse,
        _ index: Int, _ now: HTTPDate
    ) {
        (self.rules, self.request, self.wishes, self.stored) = (rules, request, wishes, stored)
        let directives = rules.effective(stored.head.headers)
        control = directives.control
        var withheld: Set<String> = []
        if case .fields(let names)? = control.noCache { withheld = names }
        selection = Selection(
            index: index, age: stored.age(at: now), lifetime: rules.lifetime(of: stored, directives),
            isNotModified: stored.isNotModified(for: request), withheldFields: withheld)
        isFromTheFuture = stored.head.responseTime.seconds(since: now) > max(0, rules.clockTolerance)
    }

    /// Whether a stale response may be used when the request or the response accepts that. A shared cache may not with
    /// `s-maxage`.
    /// - Source: RFC 9111, sections 4.2.4, 5.2.2.2, 5.2.2.4, 5.2.2.8 and 5.2.2.10.
    var allowsStale: Bool {
        if control.mustRevalidate || mustAlwaysValidate { return false }
        return rules.scope == .private || (!control.proxyRevalidate && control.sharedMaxAge == nil)
    }

    /// Whether no use is allowed without the origin, fresh or stale.
    /// - Source: RFC 9111, sections 4.4, 5.2.2.4 and 5.2.2.7.
    var mustAlwaysValidate: Bool {
        stored.isInvalidated || isFromTheFuture || control.noCache == .response || !mayBeServed
    }

    /// Whether the cache would have been allowed to keep it. An entry can come from a cache of another scope.
    private var mayBeServed: Bool {
        rules.scope == .private || control.isPrivate != .response
    }

    var verdict: Verdict {
        if mustAlwaysValidate { return .unusable(.stale) }
        let isFresh = selection.isFresh
        if wishes.noCache { return .unusable(isFresh ? .request : .stale) }
        if let limit = wishes.maxAge, selection.age > limit, !(isFresh && isReloadOfImmutable) {
            return .unusable(isFresh ? .request : .stale)
        }
        if let seconds = wishes.minFresh, selection.secondsToLive < seconds {
            return .unusable(isFresh ? .request : .stale)
        }
        if isFresh { return .fresh }
        guard allowsStale else { return .unusable(.stale) }
        let staleness = -selection.secondsToLive
        // A request with a limit of its own accepts nothing beyond it, also where the response allows more. One with
        // `max-age` or `min-fresh` alone accepts no stale response.
        let isAccepted = wishes.maxStale.map { staleness <= $0 } ?? (wishes.maxAge == nil && wishes.minFresh == nil)
        guard isAccepted else { return .unusable(.stale) }
        if let window = control.staleWhileRevalidate, staleness <= window { return .staleWhileRevalidating }
        return wishes.maxStale == nil ? .unusable(.stale) : .stale
    }

    /// A reload asks with `max-age=0`. `no-cache`, which a forced reload sends, is heeded.
    /// - Source: RFC 8246, section 2.
    private var isReloadOfImmutable: Bool { control.isImmutable && wishes.maxAge == 0 }

    /// The conditions to send; `nil` when the stored response has no validator.
    /// - Source: RFC 9111, section 4.3.1; RFC 9110, sections 13.1.2 and 13.1.3.
    func revalidation(_ reason: CacheDecision.ForwardReason) -> Revalidation? {
        guard mayBeServed else { return nil }
        let conditions = conditions(reason)
        return conditions.fields.isEmpty ? nil : conditions
    }

    /// The conditions to send; without fields when the stored response has no validator.
    func conditions(_ reason: CacheDecision.ForwardReason) -> Revalidation {
        var fields = HTTPHeaders()
        var isOursAlone = true
        if let tag = stored.entityTag {
            // With the caller's own tags, so that one answer serves both.
            let tags = EntityTag.list(request.headers.values(for: "If-None-Match"))
                .filter { $0.opaque != ArraySlice("*".utf8) && !$0.matchesWeakly(tag) }
            isOursAlone = tags.isEmpty
            fields["If-None-Match"] = ([tag] + tags).map(\.text).joined(separator: ", ")
        }
        fields["If-Modified-Since"] = stored.validators["If-Modified-Since"]
        return Revalidation(reason: reason, fields: fields, isOursAlone: isOursAlone && !fields.isEmpty)
    }
}

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
