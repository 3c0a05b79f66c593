// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct UpdateRow: SourcedRow {
    let source: String
    /// The stored fields.
    let given: String
    let new: String
    let expected: String

    init(_ source: String, _ given: String, _ new: String, _ expected: String) {
        (self.source, self.given, self.new, self.expected) = (source, given, new, expected)
    }
}

struct ConfirmRow: SourcedRow {
    let source: String
    /// The stored responses, the later ones more recent.
    let entries: [String]
    let new: String
    let expected: [Int]
    var isOursAlone = false
    var given: String { new }

    init(_ source: String, _ entries: [String], _ new: String, _ expected: [Int], isOursAlone: Bool = false) {
        (self.source, self.entries, self.new) = (source, entries, new)
        (self.expected, self.isOursAlone) = (expected, isOursAlone)
    }
}

struct FresheningTests {
    static let updates: [UpdateRow] = [
        UpdateRow("RFC 9111, 3.2 replaced", "A: 1 | B: 2", "A: 3", "A: 3 | B: 2"),
        UpdateRow("RFC 9111, 3.2 added", "A: 1", "B: 2", "A: 1 | B: 2"),
        UpdateRow("RFC 9111, 3.2 lines", "A: 1 | a: 2 | B: 3", "A: 4 | A: 5", "A: 4 | A: 5 | B: 3"),
        UpdateRow(
            "RFC 9111, 3.2 case", "cache-control: max-age=1", "Cache-Control: max-age=2", "Cache-Control: max-age=2"),
        UpdateRow("RFC 9111, 3.2 Content-Length", "Content-Length: 9", "Content-Length: 0", "Content-Length: 9"),
        UpdateRow(
            "RFC 9111, 3.2 Content-Encoding", "Content-Encoding: br", "Content-Encoding: gzip", "Content-Encoding: br"),
        UpdateRow("RFC 9111, 3.2 Content-Type", "Content-Type: a/b", "Content-Type: c/d", "Content-Type: a/b"),
        UpdateRow("RFC 9111, 3.2 Content-Range", "", "Content-Range: bytes 0-1/2", ""),
        UpdateRow(
            "RFC 9111, 3.2 other content", "Content-Language: da", "Content-Language: en", "Content-Language: en"),
        UpdateRow("RFC 9111, 3.1 connection", "A: 1", "Connection: A | A: 2 | Keep-Alive: 5", "A: 1"),
        UpdateRow("RFC 9111, 3.1 transfer", "A: 1", "Transfer-Encoding: chunked | Upgrade: x", "A: 1"),
        UpdateRow("RFC 9111, 5.1 old Age", "Age: 9 | A: 1", "B: 2", "A: 1 | B: 2"),
        UpdateRow("RFC 9111, 5.1 new Age", "Age: 9", "Age: 1", "Age: 1"),
        UpdateRow("RFC 9110, 6.6.1 old Date", "Date: @-9 | A: 1", "", "A: 1"),
        UpdateRow("RFC 9111, 3.2 Date", "Date: @-9", "Date: @0", "Date: @0"),
        UpdateRow(
            "RFC 9111, 3.2 Set-Cookie", "Set-Cookie: a", "Set-Cookie: b | Set-Cookie: c",
            "Set-Cookie: b | Set-Cookie: c"),
        UpdateRow(
            "RFC 9111, 5.2.2.4 listed", "X: 1", "Cache-Control: no-cache=x | X: 2", "X: 1 | Cache-Control: no-cache=x"),
    ]

    @Test(arguments: updates) func `a 304 replaces what does not describe the body`(row: UpdateRow) {
        expectEqual(HTTPCacheRules.shared.updated(fields(row.given), with: fields(row.new)), fields(row.expected))
    }

    static let confirmations: [ConfirmRow] = [
        ConfirmRow("RFC 9111, 4.3.4 strong", ["ETag: \"a\"", "ETag: \"b\""], "ETag: \"a\"", [0]),
        ConfirmRow("RFC 9111, 4.3.4 strong, all", ["ETag: \"a\"", "ETag: \"a\""], "ETag: \"a\"", [0, 1]),
        ConfirmRow("RFC 9111, 4.3.4 strong, none", ["ETag: \"a\""], "ETag: \"b\"", []),
        ConfirmRow("RFC 9111, 4.3.4 strong, none", ["ETag: \"a\""], "ETag: \"b\"", [], isOursAlone: true),
        ConfirmRow("RFC 9111, 4.3.4 strong against weak", ["ETag: W/\"a\""], "ETag: \"a\"", []),
        ConfirmRow("RFC 9111, 4.3.4 strong against none", ["A: 1"], "ETag: \"a\"", []),
        ConfirmRow("RFC 9111, 4.3.4 weak, latest", ["ETag: W/\"a\"", "ETag: W/\"a\""], "ETag: W/\"a\"", [1]),
        ConfirmRow("RFC 9111, 4.3.4 weak against strong", ["ETag: \"a\""], "ETag: W/\"a\"", [0]),
        ConfirmRow("RFC 9111, 4.3.4 weak against none", ["A: 1"], "ETag: W/\"a\"", []),
        ConfirmRow("RFC 9111, 4.3.4 weak, none", ["ETag: W/\"a\""], "ETag: W/\"b\"", []),
        ConfirmRow("RFC 9111, 4.3.4 date", ["Last-Modified: @-9", "Last-Modified: @-8"], "Last-Modified: @-9", [0]),
        ConfirmRow("RFC 9111, 4.3.4 other date", ["Last-Modified: @-9"], "Last-Modified: @-8", []),
        ConfirmRow(
            "RFC 9111, 4.3.4 tag before date", ["ETag: W/\"a\" | Last-Modified: @-9"],
            "ETag: W/\"b\" | Last-Modified: @-9", []),
        ConfirmRow(
            "RFC 9111, 4.3.4 date of one with a tag", ["ETag: \"a\" | Last-Modified: @-9"], "Last-Modified: @-9", [0]),
        ConfirmRow("RFC 9111, 4.3.4 no validators", ["A: 1"], "B: 1", [0]),
        ConfirmRow("RFC 9111, 4.3.4 no validators, two", ["A: 1", "A: 2"], "B: 1", []),
        ConfirmRow("RFC 9111, 4.3.4 no validator, one stored", ["ETag: \"a\""], "B: 1", []),
        ConfirmRow("RFC 9111, 4.3.3 asked for one", ["ETag: \"a\""], "B: 1", [0], isOursAlone: true),
        ConfirmRow("RFC 9111, 4.1 other variant", ["ETag: \"a\" | Vary: *", "ETag: \"a\""], "ETag: \"a\"", [1]),
    ]

    @Test(arguments: confirmations) func `a 304 confirms the responses with its validator`(row: ConfirmRow) {
        let rules = HTTPCacheRules.shared
        let entries = row.entries.enumerated().map { index, text in
            stored(text + " | Cache-Control: max-age=0 | Date: @\(index - 100)")
        }
        var revalidation: Revalidation?
        if row.isOursAlone {
            guard case .revalidate(_, let ours) = rules.decide(request(), stored: entries, now: arrival) else {
                Issue.record("A stale response with a tag is revalidated.")
                return
            }
            revalidation = ours
        }
        let changes = rules.freshen(entries, by: head(row.new, status: 304), of: request(), after: revalidation).changes
        expectEqual(changes.map(\.index), row.expected)
        expect(changes.allSatisfy { $0.action == .replace && $0.response.head.status == 200 })
    }

    @Test func `a confirmed response is as young as the 304`() throws {
        let rules = HTTPCacheRules.shared
        var old = stored("ETag: \"a\" | Age: 50 | Date: @-9 | Cache-Control: max-age=60")
        old.isInvalidated = true
        let later = arrival.advanced(by: 1_000)
        let confirmation = ResponseHead(
            status: 304, headers: fields("ETag: \"a\""), requestTime: later.advanced(by: -2), responseTime: later)
        let change = try required(rules.freshen([old], by: confirmation, of: request()).changes.first)
        expectEqual(change.response.age(at: later), 2)
        expect(!change.response.isInvalidated)
        expectEqual(Outcome(rules.decide(request(), stored: change.response, now: later)), .fresh)
    }

    @Test func `a 304 without Vary leaves the selectors, and one with another makes new ones`() throws {
        let rules = HTTPCacheRules.shared
        let entry = stored("ETag: \"a\" | Vary: Accept | Cache-Control: max-age=60", for: "Accept: a | DPR: 2")
        for (new, selectors) in [
            ("A: 1", ["accept": "a"]), ("Vary: DPR", ["dpr": "2"]), ("Vary: Accept, DPR", ["accept": "a", "dpr": "2"]),
        ] {
            let confirmation = head("ETag: \"a\" | " + new, status: 304)
            let changes = rules.freshen([entry], by: confirmation, of: request("Accept: a | DPR: 2")).changes
            expectEqual(try required(changes.first).response.selectors, selectors, "\(new)")
        }
    }

    @Test func `a 304 may end or spare the entry`() {
        let rules = HTTPCacheRules.shared
        func action(_ new: String, asked: String = "") -> Freshening.Action? {
            let entry = stored("ETag: \"a\" | Cache-Control: max-age=60")
            return rules.freshen([entry], by: head("ETag: \"a\" | " + new, status: 304), of: request(asked))
                .changes.first?.action
        }
        expectEqual(action("A: 1"), .replace)
        expectEqual(action("Cache-Control: no-store"), .remove)
        expectEqual(action("Cache-Control: private"), .remove)
        expectEqual(action("Vary: *"), .remove)
        expectEqual(action("A: 1", asked: "Cache-Control: no-store"), .leave)
        expectEqual(action("A: 1", asked: "Authorization: x"), .leave)
        expectEqual(action("Cache-Control: public", asked: "Authorization: x"), .replace)
    }

    static let heads: [UpdateRow] = [
        UpdateRow("RFC 9111, 4.3.5 same tag", "ETag: \"a\"", "ETag: \"a\"", "updated"),
        UpdateRow("RFC 9111, 4.3.5 other tag", "ETag: \"a\"", "ETag: \"b\"", "invalidated"),
        UpdateRow("RFC 9111, 4.3.5 date", "Last-Modified: @-9", "Last-Modified: @-9", "updated"),
        UpdateRow("RFC 9111, 4.3.5 other date", "Last-Modified: @-9", "Last-Modified: @-8", "invalidated"),
        UpdateRow("RFC 9111, 4.3.5 new tag", "A: 1", "ETag: \"b\"", "invalidated"),
        UpdateRow(
            "RFC 9111, 4.3.5 length", "ETag: \"a\" | Content-Length: 9", "ETag: \"a\" | Content-Length: 9", "updated"),
        UpdateRow(
            "RFC 9111, 4.3.5 other length", "ETag: \"a\" | Content-Length: 9", "ETag: \"a\" | Content-Length: 8",
            "invalidated"),
        UpdateRow("RFC 9111, 4.3.5 no validators", "A: 1", "B: 1", "updated"),
    ]

    @Test(arguments: heads) func `a HEAD updates or invalidates`(row: UpdateRow) throws {
        let entry = stored(row.given + " | Cache-Control: max-age=60")
        let answer = head(row.new + " | X-New: 1")
        let changes = HTTPCacheRules.shared.freshen([entry], byHead: answer, of: request(method: "HEAD")).changes
        let change = try required(changes.first)
        expectEqual(change.response.isInvalidated, (row.expected == "invalidated"))
        expectEqual((change.response.head.headers["X-New"] == "1"), (row.expected == "updated"))
        expectEqual(change.action, .replace)
    }

    @Test func `only a 200 to a HEAD says anything about a GET`() {
        let rules = HTTPCacheRules.shared
        let entry = stored("ETag: \"a\"")
        expect(rules.freshen([entry], byHead: head("", status: 404), of: request(method: "HEAD")).changes.isEmpty)
        expect(rules.freshen([entry], byHead: head(""), of: request()).changes.isEmpty)
        let missing = stored("ETag: \"a\"", status: 404)
        expect(rules.freshen([missing], byHead: head("ETag: \"b\""), of: request(method: "HEAD")).changes.isEmpty)
        let other = stored("Vary: DPR", for: "DPR: 1")
        expect(rules.freshen([other], byHead: head(""), of: request("DPR: 2", method: "HEAD")).changes.isEmpty)
    }
}
