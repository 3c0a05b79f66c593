// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct LifetimeRow: SourcedRow {
    let source: String
    let given: String
    let expected: Int
    let reason: FreshnessLifetime.Source
    let status: Int
    let scope: HTTPCacheRules.Scope

    init(
        _ source: String, _ given: String, _ expected: Int, _ reason: FreshnessLifetime.Source, status: Int = 200,
        _ scope: HTTPCacheRules.Scope = .shared
    ) {
        (self.source, self.given, self.expected, self.reason) = (source, given, expected, reason)
        (self.status, self.scope) = (status, scope)
    }
}

struct LifetimeTests {
    static let explicit: [LifetimeRow] = [
        LifetimeRow("RFC 9111, 4.2.1", "Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1", "Cache-Control: max-age=60 | Expires: @3600 | Date: @0", 60, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1", "Cache-Control: s-maxage=10, max-age=60", 10, .sharedMaxAge),
        LifetimeRow("RFC 9111, 4.2.1", "Cache-Control: max-age=60, s-maxage=0", 0, .sharedMaxAge),
        LifetimeRow("RFC 9111, 5.2.2.10", "Cache-Control: s-maxage=10, max-age=60", 60, .maxAge, .private),
        LifetimeRow("RFC 9111, 5.2.2.10", "Cache-Control: s-maxage=10", 0, .none, .private),
        LifetimeRow("RFC 9111, 4.2.1", "Expires: @3600 | Date: @0", 3_600, .expires),
        LifetimeRow("RFC 9111, 4.2.1", "Expires: @3600 | Date: @-100", 3_700, .expires),
        LifetimeRow("RFC 9111, 5.3 without Date", "Expires: @90", 90, .expires),
        LifetimeRow("RFC 9111, 5.3 past", "Expires: @-90 | Date: @0", 0, .expires),
        LifetimeRow("RFC 9111, 5.3 zero", "Expires: 0 | Date: @0", 0, .expires),
        LifetimeRow("RFC 9111, 5.3 broken", "Expires: tomorrow | Last-Modified: @-1000", 0, .expires),
        LifetimeRow("RFC 9111, 5.3 RFC 850", "Expires: Thursday, 01-Jan-26 00:01:00 GMT", 60, .expires),
        LifetimeRow("RFC 9111, 5.3 asctime", "Expires: Thu Jan  1 00:01:00 2026", 60, .expires),
        LifetimeRow("RFC 9111, 5.3 far", "Expires: Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_648, .expires),
        LifetimeRow("RFC 9111, 4.2.1 twice the same", "Expires: @60 | Expires: @60", 60, .expires),
        LifetimeRow("RFC 9111, 4.2.1 twice", "Expires: @60 | Expires: @90", 0, .expires),
        LifetimeRow("RFC 9110, 6.6.1 broken Date", "Expires: @60 | Date: now", 60, .expires),
        LifetimeRow("RFC 9111, 4.2.1 twice the same", "Cache-Control: max-age=60, max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 twice", "Cache-Control: max-age=60, max-age=90", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 twice", "Cache-Control: max-age=60 | Cache-Control: max-age=1", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 no number", "Cache-Control: max-age=abc | Expires: @60", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 negative", "Cache-Control: max-age=-1", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 decimal", "Cache-Control: max-age=3600.0", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 letter behind", "Cache-Control: max-age=3600a", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 letter before", "Cache-Control: max-age=a3600", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 plus", "Cache-Control: max-age=+3600", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 empty", "Cache-Control: max-age=", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.1 bare", "Cache-Control: max-age", 0, .maxAge),
        LifetimeRow("RFC 9111, 5.2 space before =", "Cache-Control: max-age =60", 0, .maxAge),
        LifetimeRow("RFC 9111, 5.2 space behind =", "Cache-Control: max-age= 60", 0, .maxAge),
        LifetimeRow("RFC 9111, 5.2 single quotes", "Cache-Control: max-age='60'", 0, .maxAge),
        LifetimeRow("RFC 9111, 5.2 quoted", "Cache-Control: max-age=\"60\"", 60, .maxAge),
        LifetimeRow("RFC 9111, 5.2 quoted with escape", "Cache-Control: max-age=\"6\\0\"", 60, .maxAge),
        LifetimeRow("RFC 9111, 5.2 case", "Cache-Control: MAX-AGE=60", 60, .maxAge),
        LifetimeRow("RFC 9111, 5.2 leading zeros", "Cache-Control: max-age=00060", 60, .maxAge),
        LifetimeRow("RFC 9111, 1.2.2 2^31", "Cache-Control: max-age=2147483648", 2_147_483_648, .maxAge),
        LifetimeRow("RFC 9111, 1.2.2 more", "Cache-Control: max-age=2147483649", 2_147_483_648, .maxAge),
        LifetimeRow(
            "RFC 9111, 1.2.2 huge", "Cache-Control: max-age=" + String(repeating: "9", count: 400), 2_147_483_648,
            .maxAge),
        LifetimeRow("RFC 9110, 5.6.1.2 empty members", "Cache-Control: ,, , max-age=60,,", 60, .maxAge),
        LifetimeRow("RFC 9110, 5.6.1 tabs", "Cache-Control: foo\t,\tmax-age=60\t,bar", 60, .maxAge),
        LifetimeRow("RFC 9110, 5.6.4 quoted comma", "Cache-Control: a=\"max-age=5, b\", max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9110, 5.6.4 escaped quote", "Cache-Control: a=\"\\\", max-age=5\", max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9110, 5.6.4 quoted directive", "Cache-Control: \"max-age=5\", max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9110, 5.6.4 open quote", "Cache-Control: a=\"b, max-age=60", 0, .none),
        LifetimeRow("RFC 9110, 5.6.4 open quote of its own line", "Cache-Control: max-age=\"60", 0, .none),
        LifetimeRow("RFC 9111, 5.2.3 unknown", "Cache-Control: max-ages=60, xmax-age=70", 0, .none),
    ]

    static let heuristic: [LifetimeRow] = [
        LifetimeRow("RFC 9111, 4.2.2", "Last-Modified: @-1000 | Date: @0", 100, .heuristic),
        LifetimeRow("RFC 9111, 4.2.2 without Date", "Last-Modified: @-1000", 100, .heuristic),
        LifetimeRow("RFC 9111, 4.2.2 by Date", "Last-Modified: @-1000 | Date: @-500", 50, .heuristic),
        LifetimeRow("RFC 9111, 4.2.2 cap", "Last-Modified: @-100000000", 86_400, .heuristic),
        LifetimeRow("RFC 9111, 4.2.2 in the future", "Last-Modified: @1000 | Date: @0", 0, .heuristic),
        LifetimeRow("RFC 9111, 4.2.2 broken", "Last-Modified: long ago", 0, .none),
        LifetimeRow("RFC 9111, 4.2.2 nothing", "ETag: \"a\"", 0, .none),
        LifetimeRow("RFC 9111, 4.2.2 explicit first", "Cache-Control: max-age=0 | Last-Modified: @-1000", 0, .maxAge),
        LifetimeRow("RFC 9111, 4.2.2", "Last-Modified: @-1000", 0, .none, status: 201),
        LifetimeRow("RFC 9111, 4.2.2", "Last-Modified: @-1000", 0, .none, status: 302),
        LifetimeRow("RFC 9111, 4.2.2", "Last-Modified: @-1000", 0, .none, status: 500),
        LifetimeRow("RFC 9111, 4.2.2", "Last-Modified: @-1000", 0, .none, status: 599),
        LifetimeRow(
            "RFC 9111, 4.2.2 public", "Last-Modified: @-1000 | Cache-Control: public", 100, .heuristic, status: 302),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 203),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 204),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 300),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 301),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 308),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 405),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 414),
        LifetimeRow("RFC 9110, 15.1", "Last-Modified: @-1000", 100, .heuristic, status: 501),
        LifetimeRow("RFC 9110, 15.5.5", "", 60, .negative, status: 404),
        LifetimeRow("RFC 9110, 15.5.11", "", 60, .negative, status: 410),
        LifetimeRow("RFC 9110, 15.5.5 explicit", "Cache-Control: max-age=5", 5, .maxAge, status: 404),
        LifetimeRow("RFC 9110, 15.5.5 explicit", "Expires: 0", 0, .expires, status: 404),
        LifetimeRow("RFC 9110, 15.5.5 modified", "Last-Modified: @-1000", 100, .heuristic, status: 404),
        LifetimeRow("RFC 9110, 15.5.2", "", 0, .none, status: 401),
    ]

    static let targeted: [LifetimeRow] = [
        LifetimeRow("RFC 9213, 2.2", "CDN-Cache-Control: max-age=9 | Cache-Control: max-age=60", 9, .maxAge),
        LifetimeRow("RFC 9213, 2.2", "CDN-Cache-Control: max-age=9 | Cache-Control: s-maxage=60", 9, .maxAge),
        LifetimeRow(
            "RFC 9213, 2.2 no list", "CDN-Cache-Control: max-age=9 | Cache-Control: max-age=60", 60, .maxAge, .private),
        LifetimeRow("RFC 9213, 2.2 Expires", "CDN-Cache-Control: public | Expires: @60", 0, .none),
        LifetimeRow("RFC 9213, 2.1 empty", "CDN-Cache-Control: | Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9213, 2.1 error", "CDN-Cache-Control: max-age=9,, x | Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9213, 2.1 error", "CDN-Cache-Control: max-age=9, | Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9213, 2.1 error", "CDN-Cache-Control: Max-Age=9 | Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9213, 2.1 error", "CDN-Cache-Control: max-age = 9 | Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9213, 2.1 error", "CDN-Cache-Control: max-age=\"9 | Cache-Control: max-age=60", 60, .maxAge),
        LifetimeRow("RFC 9213, 2.1 parameter", "CDN-Cache-Control: max-age=9;a;b=1 , x", 9, .maxAge),
        LifetimeRow("RFC 9213, 2.1 decimal", "CDN-Cache-Control: max-age=9.0", 0, .none),
        LifetimeRow("RFC 9213, 2.1 string", "CDN-Cache-Control: max-age=\"9\"", 0, .none),
        LifetimeRow("RFC 9213, 2.1 negative", "CDN-Cache-Control: max-age=-9", 0, .maxAge),
        LifetimeRow("RFC 9213, 2.1 large", "CDN-Cache-Control: max-age=999999999999999", 2_147_483_648, .maxAge),
        LifetimeRow(
            "RFC 9651, 4.2.4 16 digits", "CDN-Cache-Control: max-age=9999999999999999 | Cache-Control: max-age=60", 60,
            .maxAge),
        LifetimeRow("RFC 9651, 3.2 later wins", "CDN-Cache-Control: max-age=9, max-age=8", 8, .maxAge),
        LifetimeRow("RFC 9651, 4.2 lines", "CDN-Cache-Control: x | CDN-Cache-Control: max-age=8", 8, .maxAge),
        LifetimeRow("RFC 9651, 4.2.1.2 lists", "CDN-Cache-Control: a=(1 \"b\";c d), max-age=8", 8, .maxAge),
        LifetimeRow("RFC 9651, 4.2.7 bytes", "CDN-Cache-Control: a=:Zm9v:, b=@5, c=?0, d=1.5, max-age=8", 8, .maxAge),
    ]

    @Test(arguments: explicit + heuristic + targeted)
    func `a response is fresh for as long as its fields say`(row: LifetimeRow) {
        let rules = HTTPCacheRules(scope: row.scope)
        let lifetime = rules.lifetime(of: stored(row.given, status: row.status, rules: rules))
        expectEqual(lifetime.seconds, row.expected)
        expectEqual(lifetime.source, row.reason)
    }

    @Test func `the rules set the share, the cap and the negative lifetime`() {
        var rules = HTTPCacheRules.private
        rules.heuristicPercentage = 50
        expectEqual(rules.lifetime(of: stored("Last-Modified: @-1000")).seconds, 500)
        rules.longestHeuristicLifetime = 20
        expectEqual(rules.lifetime(of: stored("Last-Modified: @-1000")).seconds, 20)
        rules.negativeLifetime = 7
        expectEqual(rules.lifetime(of: stored("", status: 410)).seconds, 7)
        (rules.heuristicPercentage, rules.longestHeuristicLifetime) = (.max, .max)
        expectEqual(rules.lifetime(of: stored("Last-Modified: @-1000")).seconds, 1_000)
        (rules.heuristicPercentage, rules.negativeLifetime) = (.min, .min)
        expectEqual(rules.lifetime(of: stored("Last-Modified: @-1000")).seconds, 0)
        expectEqual(rules.lifetime(of: stored("", status: 410)).seconds, 0)
    }

    @Test func `the first valid field of the target list decides`() {
        var rules = HTTPCacheRules.private
        rules.targetedFields = ["Example-Cache-Control", "CDN-Cache-Control"]
        let both = "CDN-Cache-Control: max-age=1 | Example-Cache-Control: max-age=2"
        expectEqual(rules.lifetime(of: stored(both)).seconds, 2)
        expectEqual(rules.lifetime(of: stored("CDN-Cache-Control: max-age=1 | Example-Cache-Control: !")).seconds, 1)
    }
}
