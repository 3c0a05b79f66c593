// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct CacheStatusTests {
    struct Row: SourcedRow {
        let source: String
        /// The `Cache-Control` of a stored response with an entity tag.
        let given: String
        var asked = ""
        var method = "GET"
        let after: Int
        let expected: String
    }

    static let rows: [Row] = [
        Row(source: "RFC 9211, 2.1", given: "max-age=60", after: 10, expected: "test; hit; ttl=50"),
        Row(
            source: "RFC 9211, 2.4 negative", given: "max-age=60, stale-while-revalidate=9", after: 65,
            expected: "test; hit; ttl=-5"),
        Row(
            source: "RFC 9211, 2.4 negative", given: "max-age=60", asked: "Cache-Control: max-stale", after: 90,
            expected: "test; hit; ttl=-30"),
        Row(source: "RFC 9211, 2.2 stale", given: "max-age=60", after: 60, expected: "test; fwd=stale"),
        Row(
            source: "RFC 9211, 2.2 request", given: "max-age=60", asked: "Cache-Control: no-cache", after: 0,
            expected: "test; fwd=request"),
        Row(
            source: "RFC 9211, 2.2 method", given: "max-age=60", method: "POST", after: 0, expected: "test; fwd=method"),
        Row(
            source: "RFC 9211, 2.8", given: "max-age=60", asked: "Cache-Control: only-if-cached", after: 60,
            expected: "test; detail=only-if-cached"),
    ]

    @Test(arguments: rows) func `a decision is told in the words of RFC 9211`(row: Row) {
        let entry = stored("ETag: \"a\" | Cache-Control: " + row.given)
        let decision = HTTPCacheRules.private.decide(
            request(row.asked, method: row.method), stored: entry, now: arrival.advanced(by: row.after))
        expectEqual(CacheStatus(decision, cache: "test").description, row.expected)
    }

    @Test func `misses are told apart, and all facts of a forwarded request are told in order`() {
        expectEqual(CacheStatus(.forward(.uriMiss), cache: "a").description, "a; fwd=uri-miss")
        expectEqual(CacheStatus(.forward(.varyMiss), cache: "a").description, "a; fwd=vary-miss")
        var status = CacheStatus(.forward(.stale), cache: "ExampleCache")
        status.forwardStatus = 304
        status.secondsToLive = 7
        status.isStored = true
        status.isCollapsed = true
        status.key = "https://example.org/\"a\\\u{E9}"
        status.detail = "a b"
        let tail = #"key="https://example.org/\"a\\??"; detail="a b""#
        expectEqual(status.description, "ExampleCache; fwd=stale; fwd-status=304; ttl=7; stored; collapsed; " + tail)
        status.isHit = true
        expectEqual(status.description, "ExampleCache; hit; ttl=7; " + tail)
    }

    @Test func `names that are no token are quoted, and no text breaks the field`() {
        var status = CacheStatus(.forward(.uriMiss), cache: "my cache\r\nX: y")
        expectEqual(status.description, #""my cache??X: y"; fwd=uri-miss"#)
        status.cache = ""
        #expect(status.description == #"""; fwd=uri-miss"#)
        status.cache = "1a"
        expectEqual(status.description, #""1a"; fwd=uri-miss"#)
        let long = String(repeating: "k", count: 1_025)
        (status.cache, status.key, status.detail) = (long, long, long)
        let cut = "\"\(long.dropLast())\""
        expectEqual(status.description, "\(cut); fwd=uri-miss; key=\(cut); detail=\(cut)")
        status.detail = String(long.dropLast())
        expectEqual(status.description, "\(cut); fwd=uri-miss; key=\(cut); detail=\(long.dropLast())")
        var headers: HTTPHeaders = ["Cache-Status": "origin; hit"]
        CacheStatus(.forward(.bypass), cache: "edge").append(to: &headers)
        expectEqual(headers["Cache-Status"], "origin; hit, edge; fwd=bypass")
    }
}
