// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct ConditionRow: SourcedRow {
    let source: String
    /// The fields of the stored response.
    let given: String
    let asked: String
    let expected: Bool
    var status = 200

    init(_ source: String, _ given: String, _ asked: String, _ expected: Bool, status: Int = 200) {
        (self.source, self.given, self.asked) = (source, given, asked)
        (self.expected, self.status) = (expected, status)
    }
}

struct RevalidationRow: SourcedRow {
    let source: String
    /// The fields of the stored response.
    let given: String
    let asked: String
    /// The conditions to send.
    let expected: String?

    init(_ source: String, _ given: String, _ asked: String, _ expected: String?) {
        (self.source, self.given, self.asked, self.expected) = (source, given, asked, expected)
    }
}

struct RevalidationTests {
    static let conditions: [ConditionRow] = [
        ConditionRow("RFC 9111, 4.3.2", "ETag: \"a\"", "If-None-Match: \"a\"", true),
        ConditionRow("RFC 9111, 4.3.2", "ETag: \"a\"", "If-None-Match: \"b\"", false),
        ConditionRow("RFC 9111, 4.3.2 list", "ETag: \"a\"", "If-None-Match: \"b\", \"a\"", true),
        ConditionRow("RFC 9111, 4.3.2 lines", "ETag: \"a\"", "If-None-Match: \"b\" | If-None-Match: \"a\"", true),
        ConditionRow("RFC 9110, 8.8.3 comma in a tag", "ETag: \"a,b\"", "If-None-Match: \"x\",\"a,b\"", true),
        ConditionRow("RFC 9110, 8.8.3.2 weak", "ETag: \"a\"", "If-None-Match: W/\"a\"", true),
        ConditionRow("RFC 9110, 8.8.3.2 weak", "ETag: W/\"a\"", "If-None-Match: \"a\"", true),
        ConditionRow("RFC 9110, 8.8.3 case", "ETag: \"a\"", "If-None-Match: \"A\"", false),
        ConditionRow("RFC 9110, 13.1.2 *", "", "If-None-Match: *", true),
        ConditionRow("RFC 9110, 13.1.2 * among tags", "ETag: \"a\"", "If-None-Match: *, \"b\"", false),
        ConditionRow("RFC 9110, 13.1.2 no tag", "", "If-None-Match: \"a\"", false),
        ConditionRow("RFC 9110, 13.1.2 open quote", "ETag: \"a\"", "If-None-Match: \"a", false),
        ConditionRow("RFC 9110, 13.1.3", "Last-Modified: @-9", "If-Modified-Since: @-9", true),
        ConditionRow("RFC 9110, 13.1.3", "Last-Modified: @-9", "If-Modified-Since: @-8", true),
        ConditionRow("RFC 9110, 13.1.3", "Last-Modified: @-9", "If-Modified-Since: @-10", false),
        ConditionRow("RFC 9110, 13.1.3 broken", "Last-Modified: @-9", "If-Modified-Since: x", false),
        ConditionRow(
            "RFC 9110, 13.1.3 two", "Last-Modified: @-9", "If-Modified-Since: @0 | If-Modified-Since: @0", false),
        ConditionRow("RFC 9111, 4.3.2 by Date", "Date: @-9", "If-Modified-Since: @-9", true),
        ConditionRow("RFC 9111, 4.3.2 by arrival", "", "If-Modified-Since: @-1", false),
        ConditionRow(
            "RFC 9110, 13.2.2 precedence", "ETag: \"a\" | Last-Modified: @-9",
            "If-None-Match: \"b\" | If-Modified-Since: @0", false),
        ConditionRow("RFC 9110, 13.2.1 status", "ETag: \"a\"", "If-None-Match: \"a\"", false, status: 404),
    ]

    @Test(arguments: conditions) func `the request's own conditions are answered from the cache`(row: ConditionRow) {
        let response = StoredResponse(head: head(row.given, status: row.status))
        expectEqual(response.isNotModified(for: request(row.asked)), row.expected)
        expect(!response.isNotModified(for: request(row.asked, method: "PUT")))
    }

    static let revalidations: [RevalidationRow] = [
        RevalidationRow("RFC 9111, 4.3.1", "ETag: \"a\"", "", "If-None-Match: \"a\""),
        RevalidationRow("RFC 9111, 4.3.1", "Last-Modified: @-9", "", "If-Modified-Since: @-9"),
        RevalidationRow(
            "RFC 9111, 4.3.1 both", "ETag: W/\"a\" | Last-Modified: @-9", "",
            "If-None-Match: W/\"a\" | If-Modified-Since: @-9"),
        RevalidationRow("RFC 9111, 4.3.1 none", "", "", nil),
        RevalidationRow("RFC 9111, 4.3.1 broken date", "Last-Modified: never", "", nil),
        RevalidationRow("RFC 9110, 8.8.3 no quotes", "ETag: abc", "", "If-None-Match: abc"),
        RevalidationRow("RFC 9110, 8.8.3 first line", "ETag: \"a\" | ETag: \"b\"", "", "If-None-Match: \"a\""),
        RevalidationRow("RFC 9110, 8.8.3 empty", "ETag:", "", nil),
        RevalidationRow(
            "RFC 9111, 4.3.2 union", "ETag: \"a\"", "If-None-Match: \"b\", W/\"c\"",
            "If-None-Match: \"a\", \"b\", W/\"c\""),
        RevalidationRow(
            "RFC 9111, 4.3.2 weak", "ETag: \"a\"", "If-None-Match: W/\"c\"", "If-None-Match: \"a\", W/\"c\""),
        RevalidationRow("RFC 9111, 4.3.2 known", "ETag: \"a\"", "If-None-Match: W/\"a\"", "If-None-Match: \"a\""),
        RevalidationRow("RFC 9111, 4.3.2 *", "ETag: \"a\"", "If-None-Match: *", "If-None-Match: \"a\""),
        RevalidationRow(
            "RFC 9111, 4.3.1 replaced", "Last-Modified: @-9", "If-Modified-Since: @-5", "If-Modified-Since: @-9"),
        RevalidationRow(
            "RFC 9111, 4.3.1 replaced", "Last-Modified: @-9", "If-None-Match: \"b\"", "If-Modified-Since: @-9"),
    ]

    @Test(arguments: revalidations) func `the origin is asked with what the cache knows`(row: RevalidationRow) {
        let asked = request(row.asked + " | Accept: a | Range: bytes=0-1 | If-Range: \"a\"")
        let decision = HTTPCacheRules.private.decide(asked, stored: stored(row.given + " | Expires: 0"), now: arrival)
        guard case .revalidate(_, let revalidation) = decision else {
            expectNil(row.expected)
            return expectEqual(decision, .forward(.stale))
        }
        expectEqual(row.expected.map(fields), revalidation.fields)
        let sent = revalidation.request(for: asked)
        expectEqual(sent.headers, fields("Accept: a | " + (row.expected ?? "")))
        expectEqual(revalidation.isOursAlone, !(row.expected ?? "").contains(","))
    }

    @Test func `a validator that cannot be sent is not used`() {
        let rules = HTTPCacheRules.private
        for tag in ["\"" + String(repeating: "a", count: 8_192) + "\"", "\"a\r\nX: y\"", "\"\u{0}\"", "\u{7F}"] {
            let entry = StoredResponse(
                head: ResponseHead(status: 200, headers: ["ETag": tag], requestTime: arrival, responseTime: arrival))
            expectEqual(rules.decide(request(), stored: entry, now: arrival), .forward(.stale))
        }
        let longest = stored("ETag: " + String(repeating: "a", count: 8_192))
        expectEqual(Outcome(rules.decide(request(), stored: longest, now: arrival)), .validate(.stale))
    }

    struct StandInRow: SourcedRow {
        let source: String
        let given: String
        var asked = ""
        var failure = OriginFailure.noResponse
        let after: Int
        let expected: Bool
        var scope = HTTPCacheRules.Scope.private
    }

    static let window = "Cache-Control: max-age=60, stale-if-error=9"
    static let standIns: [StandInRow] = [
        StandInRow(source: "RFC 5861, 4", given: window, after: 69, expected: true),
        StandInRow(source: "RFC 5861, 4", given: window, after: 70, expected: false),
        StandInRow(source: "RFC 5861, 4", given: window, failure: .status(500), after: 61, expected: true),
        StandInRow(source: "RFC 5861, 4", given: window, failure: .status(502), after: 61, expected: true),
        StandInRow(source: "RFC 5861, 4", given: window, failure: .status(503), after: 61, expected: true),
        StandInRow(source: "RFC 5861, 4", given: window, failure: .status(504), after: 61, expected: true),
        StandInRow(source: "RFC 5861, 4", given: window, failure: .status(501), after: 61, expected: false),
        StandInRow(source: "RFC 5861, 4", given: window, failure: .status(404), after: 61, expected: false),
        StandInRow(
            source: "RFC 5861, 4 request", given: "Cache-Control: max-age=60", asked: "Cache-Control: stale-if-error=9",
            after: 69, expected: true),
        StandInRow(
            source: "RFC 5861, 4 request", given: "Cache-Control: max-age=60", asked: "Cache-Control: stale-if-error=9",
            after: 70, expected: false),
        StandInRow(
            source: "RFC 5861, 4 longer", given: window, asked: "Cache-Control: stale-if-error=99", after: 159,
            expected: true),
        StandInRow(
            source: "RFC 5861, 4 two", given: "Cache-Control: max-age=60",
            asked: "Cache-Control: stale-if-error=9, stale-if-error=99", after: 70, expected: false),
        StandInRow(source: "RFC 5861, 4 none", given: "Cache-Control: max-age=60", after: 61, expected: false),
        StandInRow(source: "RFC 9111, 5.2.2.2", given: window + ", must-revalidate", after: 61, expected: false),
        StandInRow(source: "RFC 9111, 5.2.2.4", given: window + ", no-cache", after: 1, expected: false),
        StandInRow(source: "RFC 9111, 5.2.2.8", given: window + ", proxy-revalidate", after: 61, expected: true),
        StandInRow(
            source: "RFC 9111, 5.2.2.8", given: window + ", proxy-revalidate", after: 61, expected: false,
            scope: .shared),
        StandInRow(
            source: "RFC 9111, 5.2.2.10", given: window + ", s-maxage=60", after: 61, expected: false, scope: .shared),
        StandInRow(
            source: "RFC 9111, 5.2.1.4", given: window, asked: "Cache-Control: no-cache", after: 1, expected: false),
        StandInRow(source: "RFC 9111, 4.1", given: window + " | Vary: DPR", asked: "DPR: 2", after: 1, expected: false),
    ]

    @Test(arguments: standIns) func `a stale response stands in for a failing origin within its window`(row: StandInRow)
    {
        let rules = HTTPCacheRules(scope: row.scope)
        let now = arrival.advanced(by: row.after)
        let selection = rules.standIn(on: row.failure, for: request(row.asked), stored: [stored(row.given)], now: now)
        expectEqual((selection != nil), row.expected)
    }

    @Test func `the rules' window holds when neither side names one`() {
        var rules = HTTPCacheRules.private
        rules.staleIfErrorByDefault = 86_400
        func standIn(_ text: String, _ seconds: Int) -> Bool {
            let now = arrival.advanced(by: seconds)
            return rules.standIn(on: .noResponse, for: request(), stored: [stored(text)], now: now) != nil
        }
        expect(standIn("Cache-Control: max-age=60", 86_460))
        expect(!standIn("Cache-Control: max-age=60", 86_461))
        expect(!standIn("Cache-Control: max-age=60, stale-if-error=0", 61))
        expect(!standIn("Cache-Control: max-age=60, must-revalidate", 61))
    }
}
