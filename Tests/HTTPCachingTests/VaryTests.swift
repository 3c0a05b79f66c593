// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

struct VaryRow: SourcedRow {
    let source: String
    /// The `Vary` field.
    let given: String
    let first: String
    let second: String
    let matches: Bool
    let isAny: Bool

    init(
        _ source: String, _ given: String, _ first: String, _ second: String, _ matches: Bool, isAny: Bool = false
    ) {
        (self.source, self.given, self.first) = (source, given, first)
        (self.second, self.matches, self.isAny) = (second, matches, isAny)
    }
}

struct VaryTests {
    static let rows: [VaryRow] = [
        VaryRow("RFC 9111, 4.1 same", "Vary: Accept", "Accept: image/webp", "Accept: image/webp", true),
        VaryRow("RFC 9111, 4.1 other", "Vary: Accept", "Accept: image/webp", "Accept: image/png", false),
        VaryRow("RFC 9111, 4.1 both absent", "Vary: Accept", "", "", true),
        VaryRow("RFC 9111, 4.1 absent now", "Vary: Accept", "Accept: image/webp", "", false),
        VaryRow("RFC 9111, 4.1 absent then", "Vary: Accept", "", "Accept: image/webp", false),
        VaryRow("RFC 9111, 4.1 empty is not absent", "Vary: Accept", "Accept:", "", false),
        VaryRow("RFC 9111, 4.1 not named", "Vary: Accept", "DPR: 1", "DPR: 2", true),
        VaryRow("RFC 9111, 4.1 case of names", "Vary: ACCEPT", "accept: a/b", "Accept: a/b", true),
        VaryRow("RFC 9111, 4.1 two names", "Vary: Accept, DPR", "Accept: a | DPR: 1", "Accept: a | DPR: 2", false),
        VaryRow(
            "RFC 9111, 4.1 two lines", "Vary: Accept | Vary: DPR", "Accept: a | DPR: 1", "Accept: a | DPR: 2", false),
        VaryRow(
            "RFC 9111, 4.1 three names", "Vary: DPR, Width, Accept", "DPR: 1 | Width: 2", "Width: 2 | DPR: 1", true),
        VaryRow(
            "RFC 9111, 4.1 white space", "Vary: Accept-Language", "Accept-Language: da,en", "Accept-Language: da, en",
            true),
        VaryRow(
            "RFC 9111, 4.1 lines", "Vary: Accept-Language", "Accept-Language: da, en",
            "Accept-Language: da | Accept-Language: en", true),
        VaryRow(
            "RFC 9111, 4.1 order", "Vary: Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: br,gzip",
            true),
        VaryRow("RFC 9111, 4.1 order", "Vary: Accept-Charset", "Accept-Charset: a, b", "Accept-Charset: B,a", true),
        VaryRow("RFC 9111, 4.1 order", "Vary: Accept", "Accept: a/b, c/d;q=1", "Accept: c/d; q=1,a/b", true),
        VaryRow("RFC 9111, 4.1 case of others", "Vary: Accept", "Accept: a/b", "Accept: A/b", false),
        VaryRow("RFC 9111, 4.1 case", "Vary: Accept-Encoding", "Accept-Encoding: GZIP", "Accept-Encoding: gzip", true),
        VaryRow(
            "RFC 9111, 4.1 weights", "Vary: Accept-Language", "Accept-Language: da;q=0.5", "Accept-Language: da", false),
        VaryRow("RFC 9111, 4.1 order of others", "Vary: User-Agent", "User-Agent: a, b", "User-Agent: b, a", false),
        VaryRow("RFC 9111, 4.1 members", "Vary: User-Agent", "User-Agent: a, b", "User-Agent: ab", false),
        VaryRow("RFC 9111, 4.1 *", "Vary: *", "", "", false),
        VaryRow("RFC 9111, 4.1 * among names", "Vary: Accept, *", "", "", false),
        VaryRow("RFC 9111, 4.1 empty", "Vary:", "Accept: a", "Accept: b", true),
        VaryRow("RFC 9111, 4.1 not on the list", "Vary: X-Test", "X-Test: 1", "X-Test: 1", false),
        VaryRow("RFC 9111, 4.1 not on the list, absent", "Vary: X-Test", "", "", true),
        VaryRow("RFC 9111, 4.1 not on the list, now there", "Vary: X-Test", "", "X-Test: 1", false),
        VaryRow("RFC 9111, 4.1 any", "Vary: X-Test", "X-Test: 1", "X-Test: 1", true, isAny: true),
        VaryRow("RFC 9111, 4.1 any", "Vary: X-Test", "X-Test: 1", "X-Test: 2", false, isAny: true),
        VaryRow("RFC 9111, 7.1 credential", "Vary: Cookie", "Cookie: a=b", "Cookie: a=b", false, isAny: true),
        VaryRow("RFC 9111, 7.1 credential", "Vary: Authorization", "", "Authorization: x", false, isAny: true),
        VaryRow(
            "RFC 9111, 7.1 credential", "Vary: authorization", "Authorization: x", "Authorization: x", false,
            isAny: true),
        VaryRow("RFC 9111, 7.1 no credential", "Vary: Cookie, Authorization", "", "", true),
    ]

    @Test(arguments: rows) func `a request selects what was made for the same fields`(row: VaryRow) {
        var rules = HTTPCacheRules.shared
        if row.isAny { rules.varyFields = .anyWithoutCredentials }
        let response = head(row.given)
        guard let selectors = rules.selectors(for: fields(row.first), in: response.headers) else {
            expect(!row.matches)
            return
        }
        let stored = StoredResponse(head: response, selectors: selectors)
        expectEqual(rules.matches(stored, fields(row.second)), row.matches)
    }

    @Test func `a credential is never a part of the key`() {
        var rules = HTTPCacheRules.private
        rules.varyFields = .only(["authorization", "cookie", "proxy-authorization", "x-api-key", "accept"])
        rules.credentialFields = ["x-api-key"]
        for name in ["Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "X-Api-Key"] {
            expectNil(rules.selectors(for: fields("\(name): secret"), in: fields("Vary: \(name)")))
            expectEqual(rules.selectors(for: [:], in: fields("Vary: \(name)")), [:])
        }
        expectEqual(rules.selectors(for: fields("Accept: a"), in: fields("Vary: accept")), ["accept": "a"])
    }

    @Test func `different selectors have different keys`() {
        func key(_ selectors: [String: String]) -> String {
            StoredResponse(head: head(""), selectors: selectors).variantKey
        }
        expect(key([:]).isEmpty)
        expectEqual(key(["b": "2", "a": "1"]), "a:1:1;b:1:2")
        expectEqual(key(["b": "1", "a": "2"]), "a:1:2;b:1:1")
        expect(key(["a": "1;b:1:2"]) != key(["a": "1", "b": "2"]))
        let many = Dictionary(uniqueKeysWithValues: (0..<32).map { ("f\($0)", "1") })
        for name in many.keys { expect(key(many) != key(many.merging([name: "2"]) { $1 })) }
    }

    @Test func `what negotiates the content selects, and too many names and too long values select nothing`() {
        let rules = HTTPCacheRules.shared
        let negotiating = [
            "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "DPR", "Device-Memory", "Origin",
            "Save-Data", "Sec-CH-DPR", "Sec-CH-Device-Memory", "Sec-CH-Viewport-Width", "Sec-CH-Width", "User-Agent",
            "Viewport-Width", "Width",
        ]
        for name in negotiating {
            expectEqual(rules.selectors(for: fields("\(name): 1"), in: ["Vary": name]), [name.lowercased(): "1"])
        }
        func vary(_ count: Int) -> HTTPHeaders { ["Vary": (0..<count).map { "a\($0)" }.joined(separator: ",")] }
        expectEqual(rules.selectors(for: [:], in: vary(32)), [:])
        expectNil(rules.selectors(for: [:], in: vary(33)))
        let long = String(repeating: "a", count: 4_096)
        expect(rules.selectors(for: ["Accept": String(long.dropLast())], in: ["Vary": "accept"]) != nil)
        expectNil(rules.selectors(for: ["Accept": long], in: ["Vary": "accept"]))
    }
}
