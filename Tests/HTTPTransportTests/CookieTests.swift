// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1)))
struct CookieTests {
    private static func origin(_ url: String) throws -> Origin { try Origin(required(URL(string: url))) }

    /// What the second URL gets after the first has set the cookie.
    private func sent(
        _ field: String, from first: String = "https://a.example.com/x/y", to second: String, shared: [String] = []
    ) throws -> String? {
        let jar = HTTPCookieJar(sharedDomains: shared)
        jar.store([field], from: try Self.origin(first), path: Origin.path(of: first))
        return jar.field(for: try Self.origin(second), path: Origin.path(of: second))
    }

    private static let rows: [(field: String, url: String, expected: String?)] = [
        ("a=b", "https://a.example.com/x/z", "a=b"), ("a=b", "https://a.example.com/x", "a=b"),
        ("a=b", "https://a.example.com/xy", nil), ("a=b", "https://a.example.com/", nil),
        ("a=b", "http://a.example.com/x/", "a=b"), ("a=b", "https://b.example.com/x/", nil),
        ("a=b", "https://sub.a.example.com/x/", nil), ("a=b", "https://example.com/x/", nil),
        ("a=b", "https://a.example.com?/x/", nil),
        ("a=b; Path=/", "https://a.example.com/q", "a=b"), ("a=b; path=/;Secure", "http://a.example.com/", nil),
        (" a = b ;Path=relative", "https://a.example.com/x/", "a=b"),
        ("a=b=c; Path=/", "https://a.example.com/", "a=b=c"),
        ("a=b; Path=/; Max-Age=0", "https://a.example.com/", nil),
        ("a=b; Path=/; Max-Age=9; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "https://a.example.com/", "a=b"),
        ("a=b; Path=/; Max-Age=-1", "https://a.example.com/", nil),
        ("a=b; Path=/; Max-Age=9223372036854775807", "https://a.example.com/", "a=b"),
        ("a=b; Path=/; Max-Age=99999999999999999999", "https://a.example.com/", nil),
        ("a=b; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "https://a.example.com/", nil),
        ("a=b; Path=/; Expires=Monday, 21-Oct-69 07:28:00 GMT", "https://a.example.com/", "a=b"),
        ("a=b; Path=/; Expires=Wednesday, 21-Oct-70 07:28:00 GMT", "https://a.example.com/", nil),
        ("a=b; Path=/; Expires=Oct 21 07:28:00 2015", "https://a.example.com/", nil),
        ("a=b; Path=/; Expires=Sat, 21 Oct 1600 07:28:00 GMT", "https://a.example.com/", "a=b"),
        ("a=b; Path=/; Expires=Wed, 21 Oct 2015 07:28:60 GMT", "https://a.example.com/", "a=b"),
        ("__Host-a=b; Path=/x; Secure", "https://a.example.com/x", nil),
        ("__Host-a=b; Path=/; Secure", "https://a.example.com/", "__Host-a=b"),
        ("__Host-a=b; Path=/", "https://a.example.com/", nil),
        ("__Secure-a=b; Path=/", "https://a.example.com/", nil),
        ("__Host-a=b; Path=/; Secure; Domain=a.example.com", "https://a.example.com/", nil),
        ("a", "https://a.example.com/x/", nil), ("=b", "https://a.example.com/x/", nil),
        ("a b=c; Path=/", "https://a.example.com/", nil), ("a=b\u{1}; Path=/", "https://a.example.com/", nil),
    ]

    @Test func `a cookie goes back to its host below its path, as its attributes decide`() throws {
        for (field, url, expected) in Self.rows {
            try expectEqual(sent(field, to: url), expected, "\(field) to \(url)")
        }
        // An insecure origin sets no secure cookie.
        try expectNil(sent("a=b; Secure; Path=/", from: "http://a.example.com/", to: "https://a.example.com/"))
    }

    @Test func `a domain is shared only when the program has named it`() throws {
        let field = "a=b; Path=/; Domain=.Example.com"
        let sibling = "https://b.example.com/"
        try expectNil(sent(field, to: sibling))
        // Without a domain it is for its host alone, also below a domain that is shared.
        let parent = "https://example.com/"
        try expectNil(sent("a=b; Path=/", from: parent, to: sibling, shared: ["example.com"]))
        try expectEqual(sent(field, from: parent, to: sibling, shared: ["example.com"]), "a=b")
        try expectNil(sent(field, to: "https://a.example.com/"))
        try expectEqual(sent(field, to: sibling, shared: ["Example.com"]), "a=b")
        try expectNil(sent(field, to: "https://xexample.com/", shared: ["example.com"]))
        try expectNil(sent("a=b; Path=/; Domain=com", to: sibling, shared: ["example.com"]))
        try expectNil(sent(field, from: "https://evil.com/", to: sibling, shared: ["example.com"]))
        try expectNil(sent("a=b; Domain=1", from: "http://1.1.1.1/", to: "http://2.1.1.1/", shared: ["1"]))
    }

    @Test func `cookies expire on the clock of the jar`() throws {
        let time = Mutex(Date(timeIntervalSince1970: 1_000))
        let jar = HTTPCookieJar { time.withLock { $0 } }
        let origin = try Self.origin("https://a.example/")
        jar.store(["a=b; Max-Age=10", "c=d; Expires=Thu, 01 Jan 1970 00:16:45 GMT", "e=f"], from: origin, path: "/")
        expectEqual(jar.field(for: origin, path: "/"), "a=b; c=d; e=f")
        time.withLock { $0 += 5 }
        expectEqual(jar.field(for: origin, path: "/"), "a=b; e=f")
        time.withLock { $0 += 5 }
        expectEqual(jar.field(for: origin, path: "/"), "e=f")
        jar.removeAll()
        expectNil(jar.field(for: origin, path: "/"))
    }

    @Test func `a jar holds so many cookies of an origin and in all, and so many bytes`() throws {
        let jar = HTTPCookieJar()
        let quiet = try Self.origin("https://quiet.example/")
        jar.store(["kept=1"], from: quiet, path: "/")
        let loud = try Self.origin("https://loud.example/")
        for round in 0..<100 {
            jar.store((0..<50).map { "n\(round)-\($0)=x" }, from: loud, path: "/")
        }
        jar.store(["big=" + String(repeating: "x", count: 5_000)], from: loud, path: "/")
        expectEqual(jar.count, 51)
        expectEqual(jar.field(for: quiet, path: "/"), "kept=1")
        for host in 0..<30 {
            jar.store((0..<50).map { "n\($0)=x" }, from: try Self.origin("https://h\(host).example/"), path: "/")
        }
        expectEqual(jar.count, 1_000)
        // Name, value and path of a cookie have 4 KiB together, and a full jar of the largest 5 MiB.
        let large = HTTPCookieJar()
        let path = "/" + String(repeating: "p", count: 4_000)
        let origin = try Self.origin("http://a.example/")
        large.store(["ab=" + String(repeating: "v", count: 94)], from: origin, path: path + "/x")
        expectEqual(large.count, 0)
        for host in 0..<40 {
            let origin = try Self.origin("http://h\(host)." + String(repeating: "x", count: 250) + "/")
            let fields = (10..<60).map { "\($0)=" + String(repeating: "v", count: 93) }
            large.store(fields, from: origin, path: path + "/x")
        }
        expectEqual(large.count, 1_000)
        expectAll(large.byteCount > 4_400_000, large.byteCount <= 5 << 20)
    }

    @Test func `longer paths come first and a cookie replaces its namesake`() throws {
        let jar = HTTPCookieJar()
        let origin = try Self.origin("https://a.example/")
        jar.store(["a=1; Path=/", "b=2; Path=/x", "a=3; Path=/", "c=4; Path=/"], from: origin, path: "/")
        expectEqual(jar.field(for: origin, path: "/x/y"), "b=2; a=3; c=4")
        jar.store(["a=5; Path=/x"], from: origin, path: "/")
        expectEqual(jar.field(for: origin, path: "/x/y"), "b=2; a=5; a=3; c=4")
        jar.store(["a=; Path=/; Max-Age=0"], from: origin, path: "/")
        expectEqual(jar.field(for: origin, path: "/"), "c=4")
        // One for the host alone and one that it shares are two.
        let shared = HTTPCookieJar(sharedDomains: ["a.example"])
        shared.store(["a=1; Path=/", "a=2; Path=/; Domain=a.example"], from: origin, path: "/")
        expectEqual(shared.field(for: origin, path: "/"), "a=1; a=2")
    }

    @Test func `a client keeps cookies only with a jar and sends them over redirects`() async throws {
        let answer = { @Sendable (exchange: TestExchange) in
            exchange.respond(exchange.path == "/a" ? 302 : 200, ["Location: /b", "Set-Cookie: s=1; Path=/"])
        }
        try await withOrigin(handler: answer) { origin, client in
            _ = try await client.get(origin.url("/a"))
            expectEqual(origin.requests.map { $0.headers["Cookie"] }, [nil, nil])
        }
        try await withOrigin(.loopback { $0.cookieJar = HTTPCookieJar() }, handler: answer) { origin, client in
            _ = try await client.get(origin.url("/a"))
            _ = try await client.send(HTTPRequest(url: origin.url("/b"), headers: ["Cookie": "own=1"]))
            expectEqual(origin.requests.map { $0.headers["Cookie"] }, [nil, "s=1", "own=1"])
        }
    }
}
