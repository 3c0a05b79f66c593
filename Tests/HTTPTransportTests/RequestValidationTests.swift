// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct RequestValidationTests {
    private static func code(of request: HTTPRequest) async -> HTTPError.Code? {
        let client = HTTPClient()
        let error = await #expect(throws: HTTPError.self) { _ = try await client.send(request) }
        await client.shutdown()
        expectEqual(error?.message.isEmpty, false)
        return error?.code
    }

    @Test(arguments: [
        "ftp://a.example/", "file:///etc/passwd", "data:,x", "/relative", "//a.example/x", "http:///x", "http:x",
        "gopher://a/",
    ])
    func `Only absolute http and https URLs are accepted`(_ text: String) async throws {
        await expectEqual(Self.code(of: HTTPRequest(url: try #require(URL(string: text)))), .unsupportedURL)
    }

    @Test(arguments: [
        "http://user:pw@a.example/", "http://user@a.example/", "http://a\\@b.example/", "http://a.example:0/",
        "http://a.example:99999/", "http://[fe80::1%25eth0]/", "http://exa%41mple.com/", "http://ex ample.com/",
        "http://a.example%00.b.example/", "http://a.example%0d%0aX/",
    ])
    func `URLs with credentials, odd hosts and odd ports are refused`(_ text: String) async throws {
        guard let url = URL(string: text) else { return }
        await expectEqual(Self.code(of: HTTPRequest(url: url)), .invalidRequest)
    }

    @Test func `A URL beyond the limit is refused`() async throws {
        let url = try #require(URL(string: "http://a.example/" + String(repeating: "a", count: 9_000)))
        await expectEqual(Self.code(of: HTTPRequest(url: url)), .invalidRequest)
    }

    @Test(arguments: [
        "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "\r\n\r\nGET /evil HTTP/1.1", "a\u{0}b", "a\u{7F}",
    ])
    func `a user agent is one field whatever is in it`(_ name: String) async throws {
        var configuration = HTTPClient.Configuration.loopback
        configuration.userAgent = name
        try await withOrigin(configuration) {
            $0.respond(200)
        } _: { origin, client in
            _ = try await client.send(HTTPRequest(url: origin.url("/")))
            let heard = try #require(origin.requests.first)
            expectNil(heard.headers["X-Evil"])
            let plain = name.filter {
                $0.isASCII && !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            }
            expectEqual(heard.headers["User-Agent"], plain)
            expectEqual(origin.requestCount, 1)
        }
    }

    @Test(arguments: ["", "GE T", "GET\r\n", "G\u{0}T", "GÉT", "CONNECT", "TRACE", "GET:"])
    func `Methods must be tokens`(_ method: String) async throws {
        let url = try #require(URL(string: "http://a.example/"))
        await expectEqual(Self.code(of: HTTPRequest(url: url, method: method)), .invalidRequest)
    }

    @Test(arguments: [
        ("X", "a\r\nInjected: 1"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\u{0}"), ("X", "\u{7F}"), ("X\r\nY", "1"),
        ("X:", "1"),
        ("", "1"), ("X Y", "1"), ("Ü", "1"), ("Host", "other.example"), ("content-length", "0"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "close"), ("Upgrade", "h2c"), ("Expect", "100-continue"),
    ])
    func `Headers that inject or frame are refused`(_ name: String, _ value: String) async throws {
        let url = try #require(URL(string: "http://a.example/"))
        await expectEqual(Self.code(of: HTTPRequest(url: url, headers: [name: value])), .invalidRequest)
    }

    @Test func `Too many request headers are refused`() async throws {
        let url = try #require(URL(string: "http://a.example/"))
        let many = HTTPHeaders((0..<300).map { HTTPHeaders.Field(name: "X-\($0)", value: "1") })
        await expectEqual(Self.code(of: HTTPRequest(url: url, headers: many)), .invalidRequest)
        let long: HTTPHeaders = ["X": String(repeating: "a", count: 70_000)]
        await expectEqual(Self.code(of: HTTPRequest(url: url, headers: long)), .invalidRequest)
    }

    @Test func `A HEAD request with a body is refused`() async throws {
        let url = try #require(URL(string: "http://a.example/"))
        await expectEqual(Self.code(of: HTTPRequest(url: url, method: "HEAD", body: [1])), .invalidRequest)
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"], [nil, [], [1, 2, 3]])
    func `Method, headers and body arrive as they were given`(_ method: String, _ body: [UInt8]?) async throws {
        guard method != "HEAD" || body == nil else { return }
        try await withOrigin { exchange in
            let content = exchange.headers["Content-Length"].map { "Content \($0)" } ?? "none"
            let text =
                "\(exchange.method) \(exchange.path) \(content) \(exchange.body) \(exchange.headers["X-A"] ?? "-")|"
                + "\(exchange.headers["X-Empty"] ?? "missing")|\(exchange.headers["User-Agent"] ?? "-")|"
                + "\(exchange.headers["Content-Type"] ?? "-")|\(exchange.headers["Expect"] ?? "-")"
            exchange.respond(200, ["X-Echo: \(text)"])
        } _: { origin, client in
            let url = try #require(URL(string: origin.url("/a/../b?q=1#fragment").absoluteString))
            let request = HTTPRequest(url: url, method: method, headers: ["X-A": "1", "X-Empty": ""], body: body)
            let response = try await client.send(request)
            let sendsContent = body != nil || ["POST", "PUT", "PATCH"].contains(method)
            let content = sendsContent ? "Content \(body?.count ?? 0)" : "none"
            expectEqual(
                response.headers["X-Echo"], "\(method) /a/../b?q=1 \(content) \(body ?? []) 1||swift-web-image|-|-")
            try await expectEqual(response.body.collect(upTo: 0), [])
        }
    }

    @Test func `An IPv6 literal is connected to`() async throws {
        // Nothing listens there: being refused shows that the address was understood and allowed.
        let client = HTTPClient(configuration: .loopback)
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(url: try #require(URL(string: "http://[::1]:1/"))))
        }
        expectEqual(error?.code, .cannotConnect)
        await client.shutdown()
    }

    @Test func `An internationalised host is looked up`() async throws {
        let client = HTTPClient(configuration: .loopback)
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(url: try #require(URL(string: "http://bücher.invalid/"))))
        }
        expectEqual(error?.code, .cannotResolveHost)
        await client.shutdown()
    }

    @Test func `a host has at most 255 bytes`() throws {
        let longest = String(repeating: "a.", count: 127) + "b"
        for url in ["http://\(longest)/", "HTTP://\(longest)/"] {
            #expect(throws: Never.self) { try Origin(#require(URL(string: url))) }
            let long = try #require(URL(string: url.replacing("b/", with: "bc/")))
            let error = #expect(throws: HTTPError.self) { try Origin(long) }
            expectEqual(error?.code, .invalidRequest)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `what is read in one pass is what the checks read`(_ seed: UInt64) {
        let parts = [
            "http", "https", "HTTP", "://", ":/", "//", "/", "a.example", "A", "1.2.3.4", "[::1]", ":", "80", "0",
            "65536", "65535",
            "007", "user", "@", "?", "#", "\\", "%2e", "%40", ".", "-", "_", "..", "xn--a", "é", " ", "\t", "&", ";",
            "=", "+", "*",
        ]
        var generator = SeededGenerator(seed: seed)
        var plainCount = 0
        for _ in 0..<3_000 {
            var text = Bool.random(using: &generator) ? "http://" : "https://"
            for _ in 0..<Int.random(in: 1...6, using: &generator) { text += parts.randomElement(using: &generator)! }
            guard let url = URL(string: text), let plain = Origin(plain: url.absoluteString) else { continue }
            plainCount += 1
            let checked = try? Origin(checking: url)
            expectEqual(checked, plain, "\(text)")
        }
        #expect(plainCount > 100)
    }
}
