// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct StorabilityRow: SourcedRow {
    let source: String
    /// The response's fields.
    let given: String
    let refusal: StorageRefusal?
    let asked: String
    let method: String
    let status: Int
    let scope: HTTPCacheRules.Scope

    init(
        _ source: String, _ given: String, _ refusal: StorageRefusal?, asked: String = "", method: String = "GET",
        status: Int = 200, _ scope: HTTPCacheRules.Scope = .shared
    ) {
        (self.source, self.given, self.refusal, self.asked) = (source, given, refusal, asked)
        (self.method, self.status, self.scope) = (method, status, scope)
    }
}

struct StorabilityTests {
    static let fresh = "Cache-Control: max-age=60"

    static let messages: [StorabilityRow] = [
        StorabilityRow("RFC 9111, 3 GET", fresh, nil),
        StorabilityRow("RFC 9111, 3 method", fresh, .method, method: "PUT"),
        StorabilityRow("RFC 9111, 3 method", fresh, .method, method: "DELETE"),
        StorabilityRow("RFC 9111, 3 method", fresh, .method, method: "HEAD"),
        StorabilityRow("RFC 9111, 3 method", fresh, .method, method: "OPTIONS"),
        StorabilityRow("RFC 9110, 9.1 case", fresh, .method, method: "get"),
        StorabilityRow("RFC 9110, 9.3.3", fresh, .method, method: "POST"),
        StorabilityRow("RFC 9110, 9.3.3", fresh + " | Content-Location: /photo", nil, method: "POST"),
        StorabilityRow(
            "RFC 9110, 9.3.3", fresh + " | Content-Location: https://EXAMPLE.org:443/photo", nil, method: "POST"),
        StorabilityRow("RFC 9110, 9.3.3", fresh + " | Content-Location: /other", .method, method: "POST"),
        StorabilityRow("RFC 9110, 9.3.3", "Content-Location: /photo", .method, method: "POST"),
        StorabilityRow("RFC 9110, 9.3.3", fresh + " | Content-Location: /photo", .method, method: "POST", status: 201),
        StorabilityRow("RFC 9111, 3 final", fresh, .status, status: 103),
        StorabilityRow("RFC 9111, 3 final", fresh, .status, status: 199),
        StorabilityRow("RFC 9110, 15 no status", fresh, .status, status: 600),
        StorabilityRow("RFC 9111, 3.3", fresh, .status, status: 206),
        StorabilityRow("RFC 9111, 4.3.4", fresh, .status, status: 304),
        StorabilityRow("RFC 9111, 3 any status", fresh, nil, status: 599),
        StorabilityRow("RFC 9111, 3 any status", fresh, nil, status: 500),
        StorabilityRow("RFC 9111, 3 any status", fresh, nil, status: 302),
        StorabilityRow("RFC 9111, 3 any status", "Expires: @60", nil, status: 503),
        StorabilityRow("RFC 9111, 3 any status", "Cache-Control: public", nil, status: 302),
        StorabilityRow("RFC 9111, 3 heuristic", "", nil),
        StorabilityRow("RFC 9111, 3 heuristic", "", nil, status: 204),
        StorabilityRow("RFC 9111, 3 heuristic", "", nil, status: 404),
        StorabilityRow("RFC 9111, 3 heuristic", "", nil, status: 410),
        StorabilityRow("RFC 9111, 3 nothing", "", .notCacheable, status: 201),
        StorabilityRow("RFC 9111, 3 nothing", "ETag: \"a\"", .notCacheable, status: 302),
        StorabilityRow("RFC 9111, 3 nothing", "Last-Modified: @-1000", .notCacheable, status: 500),
        StorabilityRow("RFC 9111, 3 nothing", "Cache-Control: no-cache", .notCacheable, status: 403),
    ]

    static let directives: [StorabilityRow] = [
        StorabilityRow("RFC 9111, 5.2.1.5", fresh, .requestSaysNoStore, asked: "Cache-Control: no-store"),
        StorabilityRow("RFC 9111, 5.2.1.5", fresh, .requestSaysNoStore, asked: "Cache-Control: a, NO-STORE=1"),
        StorabilityRow("RFC 9111, 5.2.1.4", fresh, nil, asked: "Cache-Control: no-cache"),
        StorabilityRow("RFC 9111, 5.2.2.5", "Cache-Control: no-store, max-age=60", .responseSaysNoStore),
        StorabilityRow(
            "RFC 9111, 5.2.2.5", "Cache-Control: max-age=60 | Cache-Control: No-Store", .responseSaysNoStore),
        StorabilityRow("RFC 9111, 5.2.2.5", "Cache-Control: no-store=\"x\", max-age=60", .responseSaysNoStore),
        StorabilityRow("RFC 9111, 5.2.2.5", "Cache-Control: no-store x, max-age=60", .responseSaysNoStore),
        StorabilityRow("RFC 9111, 5.2.2.5", "Cache-Control: no-store", .responseSaysNoStore, .private),
        StorabilityRow("RFC 9110, 5.6.4", "Cache-Control: a=\"no-store\", max-age=60", nil),
        StorabilityRow("RFC 9110, 5.6.4", "Cache-Control: a=\", no-store, b\", max-age=60", nil),
        StorabilityRow("RFC 9110, 5.6.4 broken", "Cache-Control: max-age=60, a b=\", no-store, c\"", nil),
        StorabilityRow("RFC 9110, 5.6.4 open quote", "Cache-Control: a=\"b, no-store", .responseSaysNoStore),
        StorabilityRow("RFC 9111, 5.2.2.3", "Cache-Control: must-understand, no-store, max-age=60", nil),
        StorabilityRow("RFC 9111, 5.2.2.3", "Cache-Control: must-understand, max-age=60", .notUnderstood, status: 599),
        StorabilityRow("RFC 9111, 5.2.2.3", "Cache-Control: must-understand, max-age=60", .notUnderstood, status: 506),
        StorabilityRow("RFC 9111, 5.2.2.3", "Cache-Control: must-understand, max-age=60", .notUnderstood, status: 510),
        StorabilityRow(
            "RFC 9111, 5.2.2.3", "Cache-Control: must-understand, no-store, max-age=60", .notUnderstood, status: 299),
        StorabilityRow("RFC 9111, 5.2.2.3", "Cache-Control: must-understand=1, no-store", .responseSaysNoStore),
        StorabilityRow("RFC 9111, 5.2.2.4", "Cache-Control: no-cache, max-age=60", nil),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private, max-age=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private, public, s-maxage=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: PRIVATE, max-age=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private=\"\", max-age=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private=\"a b\", max-age=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private =\"a\", max-age=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private=\"a\", private, max-age=60", .isPrivate),
        StorabilityRow("RFC 9111, 5.2.2.7 fields", "Cache-Control: private=\"set-cookie, x\", max-age=60", nil),
        StorabilityRow("RFC 9111, 5.2.2.7 token", "Cache-Control: private=set-cookie, max-age=60", nil),
        StorabilityRow("RFC 9111, 5.2.2.7", "Cache-Control: private, max-age=60", nil, .private),
        StorabilityRow("RFC 9111, 3 private", "Cache-Control: private", nil, status: 302, .private),
        StorabilityRow("RFC 9111, 3 s-maxage", "Cache-Control: s-maxage=60", nil, status: 302),
        StorabilityRow("RFC 9111, 3 s-maxage", "Cache-Control: s-maxage=60", .notCacheable, status: 302, .private),
        StorabilityRow("RFC 9111, 3.5", fresh, .isAuthorized, asked: "Authorization: Basic YTpi"),
        StorabilityRow("RFC 9111, 3.5", fresh, nil, asked: "Authorization: Basic YTpi", .private),
        StorabilityRow("RFC 9111, 3.5", fresh + ", public", nil, asked: "Authorization: Basic YTpi"),
        StorabilityRow("RFC 9111, 3.5", fresh + ", must-revalidate", nil, asked: "Authorization: Basic YTpi"),
        StorabilityRow("RFC 9111, 3.5", "Cache-Control: s-maxage=6", nil, asked: "Authorization: Basic YTpi"),
        StorabilityRow("RFC 9111, 3.5", fresh + ", proxy-revalidate", .isAuthorized, asked: "authorization: x"),
        StorabilityRow("RFC 9111, 3.5", fresh + ", public=1", .isAuthorized, asked: "authorization: x"),
        StorabilityRow("RFC 9111, 3.5", "Expires: @60", .isAuthorized, asked: "Authorization: Basic YTpi"),
        StorabilityRow("RFC 9111, 7.3 cookies", fresh + " | Set-Cookie: a=b", nil),
        StorabilityRow("RFC 9213, 2.2", "CDN-Cache-Control: max-age=6 | Cache-Control: no-store", nil),
        StorabilityRow("RFC 9213, 2.2", "CDN-Cache-Control: max-age=6 | Cache-Control: private", nil),
        StorabilityRow(
            "RFC 9213, 2.2", "CDN-Cache-Control: no-store | Cache-Control: max-age=60", .responseSaysNoStore),
        StorabilityRow("RFC 9213, 2.2", "CDN-Cache-Control: private | Cache-Control: max-age=60", .isPrivate),
        StorabilityRow("RFC 9213, 2.2", "CDN-Cache-Control: no-store | Cache-Control: max-age=60", nil, .private),
        StorabilityRow("RFC 9213, 2.1 not true", "CDN-Cache-Control: no-store=?0 | Cache-Control: no-store", nil),
        StorabilityRow("RFC 9213, 2.1 other type", "CDN-Cache-Control: no-store=1", .responseSaysNoStore),
        StorabilityRow("RFC 9213, 2.1 no public", "CDN-Cache-Control: public=5", .notCacheable, status: 302),
        StorabilityRow("RFC 9213, 2.1 error", "CDN-Cache-Control: & | Cache-Control: no-store", .responseSaysNoStore),
        StorabilityRow("RFC 9213, 2.2 Expires", "CDN-Cache-Control: foo | Expires: @60", .notCacheable, status: 302),
        StorabilityRow("RFC 9111, 4.1 Vary: *", fresh + " | Vary: *", .cannotBeSelected),
        StorabilityRow("RFC 9111, 4.1 Vary: *", fresh + " | Vary: Accept | Vary: a, *", .cannotBeSelected),
        StorabilityRow("RFC 9111, 4.1 credential", fresh + " | Vary: Cookie", .cannotBeSelected, asked: "Cookie: a=b"),
        StorabilityRow("RFC 9111, 4.1 no credential", fresh + " | Vary: Cookie", nil),
        StorabilityRow("RFC 9111, 4.1 not listed", fresh + " | Vary: X-Test", .cannotBeSelected, asked: "X-Test: 1"),
        StorabilityRow("RFC 9111, 4.1 no name", fresh + " | Vary: a b", .cannotBeSelected),
    ]

    /// The lowest, the highest and the lonely ones of the statuses whose rules are met.
    static let understood = [
        200, 205, 300, 303, 307, 308, 400, 417, 421, 422, 425, 426, 428, 429, 431, 451, 500, 505, 511,
    ].map { StorabilityRow("RFC 9111, 5.2.2.3", "Cache-Control: must-understand, max-age=60", nil, status: $0) }

    @Test(arguments: messages + directives + understood)
    func `a response is kept if the rules allow it`(row: StorabilityRow) {
        let rules = HTTPCacheRules(scope: row.scope)
        let request = request(row.asked, method: row.method)
        let head = head(row.given, status: row.status)
        expectEqual(rules.refusal(of: head, to: request), row.refusal)
        expectEqual((rules.entry(for: request, head) != nil), (row.refusal == nil))
    }

    @Test func `each refusal is in the table`() {
        expectEqual(Set((Self.messages + Self.directives).compactMap(\.refusal)), Set(StorageRefusal.allCases))
    }

    @Test func `a credential of the request's options counts as Authorization`() {
        var asked = request()
        asked.options.credential = .bearer("token")
        expectEqual(HTTPCacheRules.shared.refusal(of: head(Self.fresh), to: asked), .isAuthorized)
        expectEqual(HTTPCacheRules.private.refusal(of: head(Self.fresh), to: asked), nil)
    }

    struct FieldRow: SourcedRow {
        let source: String
        let given: String
        let names: [String]
        var scope = HTTPCacheRules.Scope.shared
    }

    static let fieldRows: [FieldRow] = [
        FieldRow(source: "RFC 9111, 3.1 order", given: "B: 1 | A: 2 | b: 3", names: ["B", "A", "b"]),
        FieldRow(source: "RFC 9111, 3.1 Connection", given: "Connection: close, X | x: 1 | A: 2", names: ["A"]),
        FieldRow(
            source: "RFC 9111, 3.1 two lines", given: "Connection: X | A: 2 | connection: y | Y: 1 | X: 1", names: ["A"]
        ),
        FieldRow(source: "RFC 9110, 5.6.4 open quote", given: "Connection: close\", X | X: 1 | A: 2", names: ["A"]),
        FieldRow(
            source: "RFC 9111, 5.2.2.4 alone", given: "Cache-Control: no-cache=x, max-age=1 | X: 1 | A: 3",
            names: ["Cache-Control", "A"], scope: .private),
        FieldRow(
            source: "RFC 9110, 7.6.1",
            given:
                "Keep-Alive: 1 | Proxy-Connection: 1 | TE: 1 | Transfer-Encoding: x | Upgrade: h2c | Trailer: x | A: 2",
            names: ["A"]),
        FieldRow(
            source: "RFC 9111, 3.1 proxy",
            given: "Proxy-Authenticate: a | Proxy-Authentication-Info: b | Proxy-Authorization: c | A: 2", names: ["A"]),
        FieldRow(
            source: "RFC 9111, 5.2.2.4",
            given: "Cache-Control: no-cache=\"Set-Cookie, x\" | X: 1 | Set-Cookie: 2 | A: 3",
            names: ["Cache-Control", "A"]),
        FieldRow(
            source: "RFC 9111, 5.2.2.7", given: "Cache-Control: private=x, max-age=1 | X: 1 | A: 3",
            names: ["Cache-Control", "A"]),
        FieldRow(
            source: "RFC 9111, 5.2.2.7", given: "Cache-Control: private=x, max-age=1 | X: 1 | A: 3",
            names: ["Cache-Control", "X", "A"], scope: .private),
        FieldRow(
            source: "RFC 9111, 7.3 cookies", given: "Set-Cookie: a | Set-Cookie: b",
            names: ["Set-Cookie", "Set-Cookie"]),
    ]

    @Test(arguments: fieldRows) func `fields of the connection and listed ones are not kept`(row: FieldRow) {
        let entry = HTTPCacheRules(scope: row.scope).entry(for: request(), head(row.given))
        expectEqual(entry?.head.headers.map(\.name), row.names)
    }
}
