// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct InvalidationRow: SourcedRow {
    let source: String
    /// The fields of the response to a request for `https://example.org/photo`.
    let given: String
    let method: String
    let status: Int
    let expected: [String]

    init(_ source: String, _ given: String, _ expected: [String], method: String = "PUT", status: Int = 200) {
        (self.source, self.given, self.expected) = (source, given, expected)
        (self.method, self.status) = (method, status)
    }
}

struct InvalidationTests {
    static let photo = "https://example.org:443/photo"
    static let rows: [InvalidationRow] = [
        InvalidationRow("RFC 9111, 4.4", "", [photo]),
        InvalidationRow("RFC 9111, 4.4", "", [photo], method: "POST", status: 201),
        InvalidationRow("RFC 9111, 4.4", "", [photo], method: "DELETE", status: 204),
        InvalidationRow("RFC 9111, 4.4", "", [photo], method: "PATCH"),
        InvalidationRow("RFC 9111, 4.4 unknown method", "", [photo], method: "FROB"),
        InvalidationRow("RFC 9110, 9.1 case", "", [photo], method: "get"),
        InvalidationRow("RFC 9111, 4.4 redirect", "", [photo], status: 303),
        InvalidationRow("RFC 9111, 4.4 error", "", [], status: 400),
        InvalidationRow("RFC 9111, 4.4 error", "", [], status: 503),
        InvalidationRow("RFC 9111, 4.4 interim", "", [], status: 103),
        InvalidationRow("RFC 9110, 9.2.1", "Location: /a", [], method: "GET"),
        InvalidationRow("RFC 9110, 9.2.1", "Location: /a", [], method: "HEAD"),
        InvalidationRow("RFC 9110, 9.2.1", "Location: /a", [], method: "OPTIONS"),
        InvalidationRow("RFC 9110, 9.2.1", "Location: /a", [], method: "TRACE"),
        InvalidationRow("RFC 4918, 9.1", "Location: /a", [], method: "PROPFIND"),
        InvalidationRow("RFC 3253, 3.6", "Location: /a", [], method: "REPORT"),
        InvalidationRow("RFC 5323, 2", "Location: /a", [], method: "SEARCH"),
        InvalidationRow("RFC 9111, 4.4 Location", "Location: /a?b=c#d", [photo, "https://example.org:443/a?b=c"]),
        InvalidationRow(
            "RFC 9111, 4.4 Content-Location", "Content-Location: a/../b", [photo, "https://example.org:443/b"]),
        InvalidationRow(
            "RFC 9111, 4.4 both", "Content-Location: /b | Location: https://example.org/a",
            [photo, "https://example.org:443/a", "https://example.org:443/b"]),
        InvalidationRow(
            "RFC 9111, 4.4 same origin", "Location: HTTPS://Example.ORG:443", [photo, "https://example.org:443/"]),
        InvalidationRow("RFC 9111, 4.4 other host", "Location: https://example.com/photo", [photo]),
        InvalidationRow("RFC 9111, 4.4 other port", "Location: https://example.org:8443/photo", [photo]),
        InvalidationRow("RFC 9111, 4.4 other scheme", "Location: http://example.org/a", [photo]),
        InvalidationRow("RFC 9111, 4.4 no web address", "Location: file:///etc/passwd", [photo]),
        InvalidationRow("RFC 9111, 4.4 empty", "Location: | Content-Location:", [photo]),
        InvalidationRow("RFC 9111, 4.4 long", "Location: /" + String(repeating: "a", count: 8_192), [photo]),
    ]

    @Test(arguments: rows) func `an unsafe method ends what it may have changed`(row: InvalidationRow) {
        let ended = HTTPCacheRules.private.invalidated(
            by: head(row.given, status: row.status), of: request(method: row.method))
        expectEqual(ended.map(\.description).sorted(), row.expected.sorted())
    }

    @Test func `addresses are compared as RFC 9110 says`() throws {
        func target(_ text: String) throws -> CacheTarget? { CacheTarget(try required(URL(string: text))) }
        try expectEqual(target("HTTP://Example.org:80#x"), target("http://example.org/"))
        try expect(target("http://example.org/a") != target("http://example.org/A"))
        try expect(target("http://example.org/a?") != target("http://example.org/a"))
        try expect(target("http://example.org/a") != target("https://example.org/a"))
        for (escaped, plain) in [("a?b=c%26d", "a?b=c&d"), ("a%2Fb", "a/b"), ("a%3Fb", "a?b"), ("a?b=%20", "a?b=+")] {
            try expect(target("http://example.org/" + escaped) != target("http://example.org/" + plain))
        }
        try expectNil(target("/a"))
        try expectNil(target("ftp://example.org/a"))
    }
}
