// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPCaching

/// Fields as an attacker sends them.
struct HostileFieldTests {
    private static let names = [
        "Cache-Control", "CDN-Cache-Control", "Pragma", "Expires", "Date", "Last-Modified", "Age", "ETag", "Vary",
        "Connection", "If-None-Match", "If-Modified-Since", "Location", "Content-Location", "Accept", "Content-Length",
    ]

    /// Runs every rule over the fields, as those of a request and as those of a response.
    private func exercise(_ headers: HTTPHeaders, now: HTTPDate) {
        for rules in [HTTPCacheRules.private, .shared] {
            for method in ["GET", "HEAD", "POST"] {
                let request = HTTPRequest(url: address, method: method, headers: headers)
                let head = ResponseHead(status: 200, headers: headers, requestTime: arrival, responseTime: arrival)
                let entry = rules.entry(for: request, head) ?? StoredResponse(head: head)
                let decision = rules.decide(request, stored: [entry, entry], now: now)
                expect(CacheStatus(decision, cache: "a").description.utf8.count, <, 4_096)
                expect((0...DeltaLimit.largest).contains(rules.lifetime(of: entry).seconds))
                expect((0...2 * DeltaLimit.largest).contains(entry.age(at: now)))
                _ = rules.standIn(on: .noResponse, for: request, stored: [entry], now: now)
                _ = rules.freshen([entry, entry], by: head, of: request)
                _ = rules.freshen([entry], byHead: head, of: request)
                expect(rules.invalidated(by: head, of: request).count, <=, 3)
                expect(entry.selectors.values.allSatisfy { $0.utf8.count <= 4_096 })
            }
        }
    }

    private enum DeltaLimit { static let largest = 2_147_483_648 }

    @Test(arguments: Seeds.first(60)) func `no field and no broken directive traps`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("\"\\,;=*: \t()?@-.W/maxge0123456789no-cachestr{}[]<>\u{0}\r\n\u{FF}é".utf8)
        var headers = HTTPHeaders()
        for _ in 0..<8 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let name = Self.names.randomElement(using: &generator) ?? "Vary"
            headers.append(name: name, value: String(decoding: bytes, as: UTF8.self))
        }
        exercise(headers, now: HTTPDate(secondsSince1970: Int.random(in: .min ... .max, using: &generator)))
        generator = SeededGenerator(seed: seed)
        let start = "max-age=60, no-cache=\"a, b\", private=\"x\", s-maxage=\"5\", stale-if-error=1;q=(1 \"a\";b)"
        var bytes = Array(start.utf8)
        for _ in 0..<4 {
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...127, using: &generator)
        }
        let text = String(decoding: bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)), as: UTF8.self)
        exercise(["Cache-Control": text, "CDN-Cache-Control": text, "Vary": text, "ETag": text], now: arrival)
    }

    static let megabytes: [String] = [
        String(repeating: "a", count: 1_000_000), String(repeating: "\"", count: 1_000_001),
        String(repeating: ",", count: 1_000_000), String(repeating: "max-age=1,", count: 100_000),
        String(repeating: "9", count: 1_000_000), String(repeating: "a=\"\\", count: 250_000),
        String(repeating: "\"a\",", count: 250_000),
    ]

    @Test(arguments: megabytes) func `a field of a megabyte is not read`(value: String) {
        let headers = HTTPHeaders(Self.names.map { HTTPHeaders.Field(name: $0, value: value) })
        exercise(headers, now: arrival.advanced(by: 5))
        let rules = HTTPCacheRules.private
        let long = head("ETag: \"a\"")
        func refusal(_ name: String) -> StorageRefusal? {
            var response = long
            response.headers[name] = value
            return rules.refusal(of: response, to: request())
        }
        expectEqual(refusal("Cache-Control"), .responseSaysNoStore)
        expectEqual(refusal("Vary"), .cannotBeSelected)
        expectEqual(
            rules.refusal(of: long, to: HTTPRequest(url: address, headers: ["Cache-Control": value])),
            .requestSaysNoStore)
    }

    /// Just what is read: the worst patterns for a parser that looks back.
    @Test(arguments: ["a=\"\\", "\"", "a=\"b\" c, ", "a=(", "a,"])
    func `the longest field that is read costs no more than its bytes`(pattern: String) {
        let value = String(String(repeating: pattern, count: 65_536 / pattern.utf8.count).prefix(65_536))
        let headers = HTTPHeaders(Self.names.map { HTTPHeaders.Field(name: $0, value: value) })
        _ = CacheControl(headers)
        _ = CacheControl(targeted: "CDN-Cache-Control", in: headers)
        _ = RequestCacheControl(headers)
        _ = HTTPCacheRules.shared.selectors(for: headers, in: ["Vary": "Accept"])
        _ = stored("ETag: \"a\"").isNotModified(for: HTTPRequest(url: address, headers: headers))
    }

    @Test func `a field is read up to its longest, in all its lines together`() {
        let line = "max-age=60," + String(repeating: " ", count: 32_757)
        for (lines, isRead) in [([line, line], true), ([line + line], true), ([line, line, " "], false)] {
            let fields = HTTPHeaders(lines.map { HTTPHeaders.Field(name: "Cache-Control", value: $0) })
            let response = ResponseHead(status: 200, headers: fields, requestTime: arrival, responseTime: arrival)
            expectEqual(HTTPCacheRules.private.refusal(of: response, to: request()) == nil, isRead)
            let asked = HTTPRequest(url: address, headers: fields)
            expectEqual(RequestCacheControl(asked.headers).noStore, !isRead)
        }
    }

    @Test func `ten thousand lines are one field`() {
        let lines = (0..<10_000).map { HTTPHeaders.Field(name: "Cache-Control", value: $0 == 9_999 ? "no-store" : "") }
        let response = ResponseHead(
            status: 200, headers: HTTPHeaders(lines), requestTime: arrival, responseTime: arrival)
        expectEqual(HTTPCacheRules.private.refusal(of: response, to: request()), .responseSaysNoStore)
    }

    @Test func `the tables of ages, lifetimes, storing and deciding hold at least 250 rows`() {
        let lifetimes = LifetimeTests.explicit + LifetimeTests.heuristic + LifetimeTests.targeted
        let kept = StorabilityTests.messages + StorabilityTests.directives
        let decisions = DecisionTests.responses + DecisionTests.requests
        let counts: [Int] = [AgeTests.rows.count, lifetimes.count, kept.count, decisions.count]
        expect(counts.reduce(0, +), >=, 250)
    }
}
