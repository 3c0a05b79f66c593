// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

/// A decision without its details.
enum Outcome: Equatable {
    case fresh, staleWhileRevalidate, stale
    case validate(CacheDecision.ForwardReason)
    case forward(CacheDecision.ForwardReason)
    case timeout

    init(_ decision: CacheDecision) {
        self =
            switch decision {
            case .useFresh: .fresh
            case .useWhileRevalidating: .staleWhileRevalidate
            case .useStale: .stale
            case .revalidate(_, let revalidation): .validate(revalidation.reason)
            case .forward(let reason): .forward(reason)
            case .gatewayTimeout: .timeout
            }
    }
}

struct DecisionRow: SourcedRow {
    let source: String
    /// The fields of the stored response, which also has an entity tag.
    let given: String
    /// The fields of the request.
    let asked: String
    /// Seconds since the arrival.
    let after: Int
    let expected: Outcome
    let scope: HTTPCacheRules.Scope
    let method: String

    init(
        _ source: String, _ given: String, asked: String = "", after: Int = 0, _ expected: Outcome,
        _ scope: HTTPCacheRules.Scope = .shared, method: String = "GET"
    ) {
        (self.source, self.given, self.asked, self.after) = (source, given, asked, after)
        (self.expected, self.scope, self.method) = (expected, scope, method)
    }
}

struct DecisionTests {
    static let responses: [DecisionRow] = [
        DecisionRow("RFC 9111, 4.2 fresh", "Cache-Control: max-age=60", after: 59, .fresh),
        DecisionRow("RFC 9111, 4.2 the end", "Cache-Control: max-age=60", after: 60, .validate(.stale)),
        DecisionRow("RFC 9111, 4.2.3 Age", "Cache-Control: max-age=60 | Age: 50", after: 9, .fresh),
        DecisionRow("RFC 9111, 4.2.3 Age", "Cache-Control: max-age=60 | Age: 50", after: 10, .validate(.stale)),
        DecisionRow("RFC 9111, 4.2.1 Expires", "Expires: @60 | Date: @0", after: 59, .fresh),
        DecisionRow("RFC 9111, 5.3 broken", "Expires: 0", .validate(.stale)),
        DecisionRow("RFC 9111, 4.2.1 nothing", "", .validate(.stale)),
        DecisionRow("RFC 9111, 4 HEAD by GET", "Cache-Control: max-age=60", .fresh, method: "HEAD"),
        DecisionRow("RFC 9111, 4 write through", "Cache-Control: max-age=60", .forward(.method), method: "POST"),
        DecisionRow("RFC 9111, 4 write through", "Cache-Control: max-age=60", .forward(.method), method: "DELETE"),
        DecisionRow("RFC 9111, 4 unknown method", "Cache-Control: max-age=60", .forward(.method), method: "FROB"),
        DecisionRow("RFC 9110, 9.3.7 OPTIONS", "Cache-Control: max-age=60", .forward(.method), method: "OPTIONS"),
        DecisionRow("RFC 9111, 5.2.2.4", "Cache-Control: no-cache, max-age=60", .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.2.4", "Cache-Control: no-cache=\"\", max-age=60", .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.2.4", "Cache-Control: no-cache x, max-age=60", .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.2.4 fields", "Cache-Control: no-cache=\"a, b\", max-age=60", .fresh),
        DecisionRow("RFC 9111, 5.2.2.2", "Cache-Control: must-revalidate, max-age=60", after: 59, .fresh),
        DecisionRow(
            "RFC 9111, 5.2.2.2", "Cache-Control: must-revalidate, max-age=60, stale-while-revalidate=60", after: 60,
            .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.2.8", "Cache-Control: proxy-revalidate, max-age=60, stale-while-revalidate=60", after: 60,
            .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.2.8", "Cache-Control: proxy-revalidate, max-age=60, stale-while-revalidate=60", after: 60,
            .staleWhileRevalidate, .private),
        DecisionRow(
            "RFC 9111, 5.2.2.10", "Cache-Control: s-maxage=60, stale-while-revalidate=60", after: 60, .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.2.10", "Cache-Control: s-maxage=1, max-age=60, stale-while-revalidate=60", after: 60,
            .staleWhileRevalidate, .private),
        DecisionRow("RFC 5861, 3", "Cache-Control: max-age=60, stale-while-revalidate=9", after: 59, .fresh),
        DecisionRow(
            "RFC 5861, 3", "Cache-Control: max-age=60, stale-while-revalidate=9", after: 60, .staleWhileRevalidate),
        DecisionRow(
            "RFC 5861, 3", "Cache-Control: max-age=60, stale-while-revalidate=9", after: 69, .staleWhileRevalidate),
        DecisionRow("RFC 5861, 3", "Cache-Control: max-age=60, stale-while-revalidate=9", after: 70, .validate(.stale)),
        DecisionRow(
            "RFC 5861, 3 broken", "Cache-Control: max-age=60, stale-while-revalidate=x", after: 61, .validate(.stale)),
        DecisionRow("RFC 5861, 3 no-cache", "Cache-Control: no-cache, stale-while-revalidate=9", .validate(.stale)),
        DecisionRow(
            "RFC 5861, 4 no error", "Cache-Control: max-age=60, stale-if-error=9", after: 60, .validate(.stale)),
        DecisionRow("RFC 9213, 2.2", "CDN-Cache-Control: max-age=60 | Cache-Control: no-cache", after: 59, .fresh),
        DecisionRow(
            "RFC 9213, 2.2", "CDN-Cache-Control: no-cache | Cache-Control: max-age=60", after: 1, .validate(.stale)),
        DecisionRow("RFC 9213, 2.2", "CDN-Cache-Control: no-cache | Cache-Control: max-age=60", .fresh, .private),
        DecisionRow("RFC 9111, 5.2.2.7 of another scope", "Cache-Control: private, max-age=60", .forward(.stale)),
        DecisionRow("RFC 9111, 5.2.2.7", "Cache-Control: private, max-age=60", .fresh, .private),
        DecisionRow("RFC 9111, 4.2.3 clock back a little", "Cache-Control: max-age=60", after: -60, .fresh),
        DecisionRow("RFC 9111, 4.2.3 clock back", "Cache-Control: max-age=60", after: -61, .validate(.stale)),
        DecisionRow(
            "RFC 9111, 4.2.3 clock a year ahead", "Cache-Control: max-age=60", after: 31_536_000, .validate(.stale)),
        DecisionRow("RFC 9111, 1.2.2 huge", "Cache-Control: max-age=99999999999", after: 2_000_000_000, .fresh),
    ]

    static let max60 = "Cache-Control: max-age=60"

    static let requests: [DecisionRow] = [
        DecisionRow("RFC 9111, 5.2.1.1", max60, asked: "Cache-Control: max-age=10", after: 10, .fresh),
        DecisionRow("RFC 9111, 5.2.1.1", max60, asked: "Cache-Control: max-age=10", after: 11, .validate(.request)),
        DecisionRow("RFC 9111, 5.2.1.1", max60, asked: "Cache-Control: max-age=0", after: 0, .fresh),
        DecisionRow("RFC 9111, 5.2.1.1", max60, asked: "Cache-Control: max-age=0", after: 1, .validate(.request)),
        DecisionRow(
            "RFC 9111, 5.2.1.1 broken", max60, asked: "Cache-Control: max-age=x", after: 1, .validate(.request)),
        DecisionRow(
            "RFC 9111, 5.2.1.1 larger", max60, asked: "Cache-Control: max-age=900", after: 61, .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.1.1 two", max60, asked: "Cache-Control: max-age=90, max-age=1", after: 2, .validate(.request)
        ),
        DecisionRow(
            "RFC 9111, 5.2.1.1 refuses stale", max60 + ", stale-while-revalidate=99",
            asked: "Cache-Control: max-age=900",
            after: 61, .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.1.2", max60, asked: "Cache-Control: max-stale=9", after: 69, .stale),
        DecisionRow("RFC 9111, 5.2.1.2", max60, asked: "Cache-Control: max-stale=9", after: 70, .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.1.2 any", max60, asked: "Cache-Control: max-stale", after: 1_000_000, .stale),
        DecisionRow(
            "RFC 9111, 5.2.1.2 broken", max60, asked: "Cache-Control: max-stale=x", after: 61, .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.1.2 fresh", max60, asked: "Cache-Control: max-stale=9", after: 5, .fresh),
        DecisionRow(
            "RFC 9111, 5.2.1.2 and max-age", max60, asked: "Cache-Control: max-age=65, max-stale=9", after: 64, .stale),
        DecisionRow(
            "RFC 9111, 5.2.2.2", max60 + ", must-revalidate", asked: "Cache-Control: max-stale", after: 61,
            .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.2.8", max60 + ", proxy-revalidate", asked: "Cache-Control: max-stale", after: 61,
            .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.2.8", max60 + ", proxy-revalidate", asked: "Cache-Control: max-stale", after: 61, .stale,
            .private),
        DecisionRow(
            "RFC 9111, 5.2.2.10", "Cache-Control: s-maxage=60", asked: "Cache-Control: max-stale", after: 61,
            .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.1.2 no more than the limit", max60 + ", stale-while-revalidate=99",
            asked: "Cache-Control: max-stale=9", after: 70, .validate(.stale)),
        DecisionRow(
            "RFC 5861, 3 delivered stale", max60 + ", stale-while-revalidate=99", asked: "Cache-Control: max-stale=9",
            after: 69, .staleWhileRevalidate),
        DecisionRow("RFC 9111, 5.2.1.3", max60, asked: "Cache-Control: min-fresh=10", after: 50, .fresh),
        DecisionRow("RFC 9111, 5.2.1.3", max60, asked: "Cache-Control: min-fresh=10", after: 51, .validate(.request)),
        DecisionRow("RFC 9111, 5.2.1.3 broken", max60, asked: "Cache-Control: min-fresh=x", .validate(.request)),
        DecisionRow(
            "RFC 9111, 5.2.1.3 two", max60, asked: "Cache-Control: min-fresh=1, min-fresh=99", .validate(.request)),
        DecisionRow(
            "RFC 9111, 5.2.1.3 two", max60, asked: "Cache-Control: min-fresh=99, min-fresh=1", .validate(.request)),
        DecisionRow(
            "RFC 9111, 5.2.1.3 at the end", max60 + ", stale-while-revalidate=9", asked: "Cache-Control: min-fresh=0",
            after: 60, .validate(.stale)),
        DecisionRow(
            "RFC 9111, 5.2.1.1 two", max60, asked: "Cache-Control: max-age=5, max-age=50", after: 9,
            .validate(.request)),
        DecisionRow("RFC 9111, 4.2.3 Date to come", max60 + " | Date: @3600", after: 59, .fresh),
        DecisionRow("RFC 9111, 5.2.1.4", max60, asked: "Cache-Control: no-cache", .validate(.request)),
        DecisionRow("RFC 9111, 5.2.1.4 stale", max60, asked: "Cache-Control: no-cache", after: 60, .validate(.stale)),
        DecisionRow("RFC 9111, 5.2.1.4", max60, asked: "Cache-Control: No-Cache=\"a\"", .validate(.request)),
        DecisionRow("RFC 9111, 5.4", max60, asked: "Pragma: no-cache", .validate(.request)),
        DecisionRow("RFC 9111, 5.4 others", max60, asked: "Pragma: x, \"no-cache\"", .fresh),
        DecisionRow("RFC 9111, 5.4 Cache-Control", max60, asked: "Pragma: no-cache | Cache-Control: max-age=9", .fresh),
        DecisionRow("RFC 9111, 5.2.1.5", max60, asked: "Cache-Control: no-store", .fresh),
        DecisionRow("RFC 9111, 5.2.1.7 fresh", max60, asked: "Cache-Control: only-if-cached", .fresh),
        DecisionRow("RFC 9111, 5.2.1.7 stale", max60, asked: "Cache-Control: only-if-cached", after: 60, .timeout),
        DecisionRow(
            "RFC 9111, 5.2.1.7 accepted", max60, asked: "Cache-Control: only-if-cached, max-stale", after: 61, .stale),
        DecisionRow("RFC 9111, 5.2.1.7 no-cache", max60, asked: "Cache-Control: only-if-cached, no-cache", .timeout),
        DecisionRow(
            "RFC 5861, 3 without the network", max60 + ", stale-while-revalidate=9",
            asked: "Cache-Control: only-if-cached",
            after: 61, .stale),
        DecisionRow("RFC 9111, 5.2.1.7 method", max60, asked: "Cache-Control: only-if-cached", .timeout, method: "PUT"),
        DecisionRow("RFC 8246, 2 reload", max60 + ", immutable", asked: "Cache-Control: max-age=0", after: 59, .fresh),
        DecisionRow(
            "RFC 8246, 2 stale", max60 + ", immutable", asked: "Cache-Control: max-age=0", after: 60, .validate(.stale)),
        DecisionRow(
            "RFC 8246, 2 forced", max60 + ", immutable", asked: "Cache-Control: no-cache", after: 1, .validate(.request)
        ),
        DecisionRow(
            "RFC 8246, 2 max-age=1", max60 + ", immutable", asked: "Cache-Control: max-age=1", after: 5,
            .validate(.request)),
        DecisionRow(
            "RFC 8246, 2 argument", max60 + ", immutable=1", asked: "Cache-Control: max-age=0", after: 5,
            .validate(.request)),
        DecisionRow("RFC 9111, 4.3.2", max60, asked: "If-Match: \"a\"", .forward(.request)),
        DecisionRow("RFC 9111, 4.3.2", max60, asked: "If-Unmodified-Since: @0", .forward(.request)),
        DecisionRow("RFC 9111, 4.3.2", max60, asked: "If-None-Match: \"x\"", .fresh),
        DecisionRow("RFC 9110, 14.2", max60, asked: "Range: bytes=0-1", .fresh),
        DecisionRow("RFC 9111, 4.1", max60 + " | Vary: Accept", asked: "Accept: a", .forward(.varyMiss)),
        DecisionRow("RFC 9111, 4.1", max60 + " | Vary: DPR", asked: "Accept: a", .fresh),
        DecisionRow("RFC 9111, 4.1 *", max60 + " | Vary: *", .forward(.varyMiss)),
    ]

    @Test(arguments: responses + requests) func `the rules decide by request, response and time`(row: DecisionRow) {
        let rules = HTTPCacheRules(scope: row.scope)
        let entry = stored(row.given + " | ETag: \"e\"", rules: rules)
        let decision = rules.decide(
            request(row.asked, method: row.method), stored: entry, now: arrival.advanced(by: row.after))
        expectEqual(Outcome(decision), row.expected)
    }

    @Test func `without a stored response or a validator a request goes on, and an invalidated one is validated`() {
        let rules = HTTPCacheRules.private
        expectEqual(rules.decide(request(), stored: nil, now: arrival), .forward(.uriMiss))
        let only = request("Cache-Control: only-if-cached")
        expectEqual(rules.decide(only, stored: nil, now: arrival), .gatewayTimeout(.uriMiss))
        // Without a validator a stale response is replaced.
        expectEqual(rules.decide(request(), stored: stored(""), now: arrival), .forward(.stale))
        var entry = stored(Self.max60 + ", stale-while-revalidate=60 | ETag: \"e\"")
        entry.isInvalidated = true
        expectEqual(Outcome(HTTPCacheRules.private.decide(request(), stored: entry, now: arrival)), .validate(.stale))
    }

    @Test func `without a validator a stale response is the answer while a plain request replaces it`() {
        let window = stored("Cache-Control: max-age=0, stale-while-revalidate=9")
        let asked = request("If-None-Match: \"x\" | Range: bytes=0-1 | Accept: a")
        guard
            case .useWhileRevalidating(_, let revalidation) = HTTPCacheRules.private.decide(
                asked, stored: window, now: arrival)
        else {
            Issue.record("The origin is not asked.")
            return
        }
        expectAll(revalidation.fields.isEmpty, !revalidation.isOursAlone)
        expectEqual(revalidation.request(for: asked).headers.map(\.name), ["Accept"])
    }

    @Test func `of several variants the request's and the latest counts`() throws {
        let rules = HTTPCacheRules.shared
        let variants = [
            stored(Self.max60 + " | Vary: Accept | Date: @-9", for: "Accept: a"),
            stored(Self.max60 + " | Vary: Accept | Date: @-3", for: "Accept: a"),
            stored(Self.max60 + " | Vary: Accept | Date: @-5", for: "Accept: a"),
            stored(Self.max60 + " | Vary: Accept | Date: @0", for: "Accept: b"),
        ]
        guard case .useFresh(let selection) = rules.decide(request("Accept: a"), stored: variants, now: arrival) else {
            Issue.record("It is fresh.")
            return
        }
        expectEqual(selection.index, 1)
        expectEqual(selection.age, 3)
        expectEqual(selection.secondsToLive, 57)
        expectEqual(rules.decide(request("Accept: c"), stored: variants, now: arrival), .forward(.varyMiss))
        // Of two with one date, the one that arrived last.
        var second = variants[0]
        second.head.responseTime = arrival.advanced(by: 1)
        for (index, pair) in [[second, variants[0]], [variants[0], second]].enumerated() {
            let decision = rules.decide(request("Accept: a"), stored: pair, now: arrival.advanced(by: 1))
            guard case .useFresh(let selection) = decision else { return expect(false) }
            expectEqual(selection.index, index)
        }
    }

    @Test func `the answer carries its age and not what is withheld`() {
        let entry = stored("Cache-Control: max-age=60, no-cache=\"X-User\" | Age: 4 | X-User: ada | B: 1 | A: 2")
        let decision = HTTPCacheRules.private.decide(request(), stored: entry, now: arrival.advanced(by: 3))
        guard case .useFresh(let selection) = decision else {
            Issue.record("It is fresh.")
            return
        }
        let answer = selection.fields(of: entry)
        expectEqual(answer.map(\.name), ["Cache-Control", "Age", "B", "A"])
        expectEqual(answer["Age"], "7")
        let old = stored("Cache-Control: max-age=2147483648 | Age: 2147483648")
        let stale = HTTPCacheRules.private.decide(
            request("Cache-Control: max-stale"), stored: old, now: arrival.advanced(by: 9))
        guard case .useStale(let oldest) = stale else { return expect(false) }
        expectEqual(oldest.fields(of: old)["Age"], "2147483648")
    }
}
