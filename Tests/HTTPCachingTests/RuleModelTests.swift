// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

/// The decisions against a model that is written from the text of RFC 9111 and RFC 5861, over drawn responses, requests
/// and times. The model knows values and no fields, so it shares no code with the rules.
struct RuleModelTests {
    @Test func `every decision is that of the specifications`() async {
        await Property(cases: 10_000) { RuleModel(&$0) }.holds { model in
            let (request, now) = (model.request, arrival.advanced(by: model.after))
            let decision = model.rules.decide(request, stored: model.stored, now: now)
            if let wrong = difference(Outcome(decision), model.decision) { return wrong }
            switch decision {
            case .useFresh(let selection), .useStale(let selection), .useWhileRevalidating(let selection, _),
                .revalidate(let selection, _):
                let wrong = difference(
                    [selection.age, selection.lifetime.seconds], [model.age, model.lifetime], "age")
                if let wrong { return wrong }
            case .forward, .gatewayTimeout: break
            }
            switch decision {
            case .useWhileRevalidating(_, let revalidation), .revalidate(_, let revalidation):
                return difference(revalidation.fields.map(\.name).sorted(), model.conditions)
            default: return nil
            }
        }
    }

    @Test func `a response stands in for a failing origin when the specifications let it`() async {
        await Property(cases: 10_000) { draw in
            (model: RuleModel(&draw), status: draw.oneOf([nil, 400, 404, 429, 500, 501, 502, 503, 504]))
        }.holds { model, status in
            let failure = status.map { OriginFailure.status($0) } ?? .noResponse
            let now = arrival.advanced(by: model.after)
            let selection = model.rules.standIn(on: failure, for: model.request, stored: [model.stored], now: now)
            return difference(selection != nil, model.standsIn(for: status))
        }
    }
}

/// A stored response, a request and a time, as values.
private struct RuleModel {
    // The response (RFC 9111, section 5.2.2; RFC 5861; RFC 8246).
    let status: Int
    let maxAge, sharedMaxAge, staleWhileRevalidate, staleIfError: Int?
    let noCache, mustRevalidate, proxyRevalidate, isPrivate, isPublic, isImmutable: Bool
    /// Seconds from the arrival; `nil` for none.
    let date, modified, expires: Int?
    let hasBrokenExpires, hasTag, isInvalidated, hasOtherSelector: Bool
    let ageField: Int?
    // The request (section 5.2.1).
    let method: String
    let isForOriginAlone: Bool
    let askedMaxAge, askedMinFresh, askedMaxStale, askedStaleIfError: Int?
    let acceptsAnyStale, askedNoCache, hasPragma, onlyIfCached: Bool
    // The cache and the clock.
    let isShared: Bool
    let after: Int

    init(_ draw: inout Generator) {
        func flag(_ part: Int) -> Bool { draw.isTrue(oneIn: part) }
        func number(_ part: Int, _ range: ClosedRange<Int> = 0...120) -> Int? {
            flag(part) ? draw.oneOf([0, 60, draw.number(range)]) : nil
        }
        status = draw.oneOf([200, 200, 200, 203, 302, 404, 410, 500])
        (maxAge, sharedMaxAge) = (number(2), number(4))
        (staleWhileRevalidate, staleIfError) = (number(3), number(3))
        (noCache, mustRevalidate, proxyRevalidate) = (flag(10), flag(8), flag(8))
        (isPrivate, isPublic, isImmutable) = (flag(10), flag(8), flag(6))
        (date, modified) = (number(3, -90...30), number(3, -2_000...0))
        (expires, hasBrokenExpires) = (number(3, -60...200), flag(12))
        (hasTag, isInvalidated, hasOtherSelector) = (flag(2), flag(12), flag(20))
        ageField = number(4, 0...100)
        method = flag(12) ? draw.oneOf(["POST", "PUT", "OPTIONS"]) : flag(4) ? "HEAD" : "GET"
        isForOriginAlone = flag(20)
        (askedMaxAge, askedMinFresh, askedMaxStale) = (number(4), number(5), number(4))
        (askedStaleIfError, acceptsAnyStale, askedNoCache) = (number(4), flag(8), flag(10))
        (hasPragma, onlyIfCached, isShared) = (flag(10), flag(8), flag(2))
        after = draw.number(0...200)
    }

    // MARK: - What the values say

    /// Section 4.2.3: the larger of what `Date` and `Age` say, and the time in the cache.
    var age: Int { max(max(0, -(date ?? 0)), ageField ?? 0) + after }

    /// Sections 4.2.1 and 4.2.2.
    var lifetime: Int {
        if isShared, let sharedMaxAge { return sharedMaxAge }
        if let maxAge { return maxAge }
        if hasBrokenExpires { return 0 }
        if let expires { return max(0, expires - (date ?? 0)) }
        // RFC 9110, section 15.1, and `public`.
        guard [200, 203, 404, 410].contains(status) || isPublic else { return 0 }
        if let modified { return max(0, (date ?? 0) - modified) * 10 / 100 }
        return status == 404 || status == 410 ? 60 : 0
    }

    private var isFresh: Bool { lifetime > age }
    private var staleness: Int { age - lifetime }

    /// Sections 4.4, 5.2.2.4 and 5.2.2.7.
    private var mustValidate: Bool { isInvalidated || noCache || (isShared && isPrivate) }

    /// Sections 4.2.4, 5.2.2.2, 5.2.2.8 and 5.2.2.10: the last is a `proxy-revalidate` for a shared cache.
    private var mayBeStale: Bool {
        !mustRevalidate && !(isShared && (proxyRevalidate || sharedMaxAge != nil))
    }

    private var hasControl: Bool {
        askedMaxAge != nil || askedMinFresh != nil || askedMaxStale != nil || askedStaleIfError != nil
            || acceptsAnyStale || askedNoCache || onlyIfCached
    }

    /// Section 5.4: `Pragma` counts without a `Cache-Control`.
    private var refusesStored: Bool { askedNoCache || (hasPragma && !hasControl) }

    private var limitOfStaleness: Int? { askedMaxStale ?? (acceptsAnyStale ? .max : nil) }

    /// The fields of a validation; section 4.3.1.
    var conditions: [String] {
        (modified == nil ? [] : ["If-Modified-Since"]) + (hasTag ? ["If-None-Match"] : [])
    }

    /// Section 4, in the order of its list.
    var decision: Outcome {
        func unusable(_ reason: CacheDecision.ForwardReason, canValidate: Bool = true) -> Outcome {
            if onlyIfCached { return .timeout }
            return canValidate && !conditions.isEmpty ? .validate(reason) : .forward(reason)
        }
        guard method == "GET" || method == "HEAD" else { return unusable(.method, canValidate: false) }
        if isForOriginAlone { return unusable(.request, canValidate: false) }
        if hasOtherSelector { return unusable(.varyMiss, canValidate: false) }
        if mustValidate { return unusable(.stale, canValidate: !(isShared && isPrivate)) }
        let reason: CacheDecision.ForwardReason = isFresh ? .request : .stale
        if refusesStored { return unusable(reason) }
        // RFC 8246, section 2: a reload does not ask for what is immutable and fresh.
        if let askedMaxAge, age > askedMaxAge, !(isFresh && isImmutable && askedMaxAge == 0) { return unusable(reason) }
        if let askedMinFresh, lifetime - age < askedMinFresh { return unusable(reason) }
        if isFresh { return .fresh }
        guard mayBeStale else { return unusable(.stale) }
        if let limitOfStaleness {
            guard staleness <= limitOfStaleness else { return unusable(.stale) }
        } else if askedMaxAge != nil || askedMinFresh != nil {
            // Sections 5.2.1.1 and 5.2.1.3: without `max-stale`, a request with a limit accepts nothing stale.
            return unusable(.stale)
        }
        // RFC 5861, section 3: the origin is asked meanwhile, with a validator or without.
        if let staleWhileRevalidate, staleness <= staleWhileRevalidate {
            return onlyIfCached ? .stale : .staleWhileRevalidate
        }
        return limitOfStaleness == nil ? unusable(.stale) : .stale
    }

    /// RFC 5861, section 4; RFC 9111, section 4.2.4.
    func standsIn(for status: Int?) -> Bool {
        if let status, ![500, 502, 503, 504].contains(status) { return false }
        let isAnswerable = method == "GET" || method == "HEAD"
        guard isAnswerable, !hasOtherSelector, !refusesStored, !mustValidate else { return false }
        if isFresh, askedMaxAge == nil { return true }
        guard isFresh || mayBeStale else { return false }
        let window = max(askedStaleIfError ?? 0, staleIfError ?? 0)
        return window > 0 && staleness <= window
    }

    // MARK: - As fields

    var rules: HTTPCacheRules { isShared ? .shared : .private }

    private static func join(_ flags: [(String, Bool)], _ numbers: [(String, Int?)]) -> String {
        (flags.filter(\.1).map(\.0) + numbers.compactMap { name, value in value.map { "\(name)=\($0)" } })
            .joined(separator: ", ")
    }

    var stored: StoredResponse {
        var fields = HTTPHeaders()
        let control = Self.join(
            [
                ("no-cache", noCache), ("must-revalidate", mustRevalidate), ("proxy-revalidate", proxyRevalidate),
                ("private", isPrivate), ("public", isPublic), ("immutable", isImmutable),
            ],
            [
                ("max-age", maxAge), ("s-maxage", sharedMaxAge), ("stale-while-revalidate", staleWhileRevalidate),
                ("stale-if-error", staleIfError),
            ])
        if !control.isEmpty { fields["Cache-Control"] = control }
        fields["Date"] = date.map { arrival.advanced(by: $0).description }
        fields["Last-Modified"] = modified.map { arrival.advanced(by: $0).description }
        fields["Expires"] = hasBrokenExpires ? "0" : expires.map { arrival.advanced(by: $0).description }
        fields["Age"] = ageField.map { String($0) }
        if hasTag { fields["ETag"] = "\"1\"" }
        fields["Vary"] = "Accept-Language"
        let head = ResponseHead(status: status, headers: fields, requestTime: arrival, responseTime: arrival)
        return StoredResponse(
            head: head, selectors: ["accept-language": hasOtherSelector ? "en" : "de"], isInvalidated: isInvalidated)
    }

    var request: HTTPRequest {
        var request = HTTPRequest(url: address, method: method, headers: ["Accept-Language": "de"])
        let control = Self.join(
            [
                ("no-cache", askedNoCache), ("only-if-cached", onlyIfCached),
                ("max-stale", acceptsAnyStale && askedMaxStale == nil),
            ],
            [
                ("max-age", askedMaxAge), ("min-fresh", askedMinFresh), ("max-stale", askedMaxStale),
                ("stale-if-error", askedStaleIfError),
            ])
        if !control.isEmpty { request.headers["Cache-Control"] = control }
        if hasPragma { request.headers["Pragma"] = "no-cache" }
        if isForOriginAlone { request.headers["If-Match"] = "\"1\"" }
        return request
    }
}
