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
        let error = await expectHTTPError { try await client.send(request) }
        await client.shutdown()
        expectEqual(error?.message.isEmpty, false)
        return error?.code
    }

    @Test func `only absolute http and https URLs with a plain host and port are accepted`() async throws {
        for text in [
            "ftp://a.example/", "file:///etc/passwd", "data:,x", "/relative", "//a.example/x", "http:///x", "http:x",
            "gopher://a/",
        ] {
            let url = try required(URL(string: text))
            await expectEqual(Self.code(of: HTTPRequest(url: url)), .unsupportedURL, "\(text)")
        }
        for text in [
            "http://user:pw@a.example/", "http://user@a.example/", "http://a\\@b.example/", "http://a.example:0/",
            "http://a.example:99999/", "http://[fe80::1%25eth0]/", "http://exa%41mple.com/", "http://ex ample.com/",
            "http://a.example%00.b.example/", "http://a.example%0d%0aX/",
            "http://a.example/" + String(repeating: "a", count: 9_000),
        ] {
            guard let url = URL(string: text) else { continue }
            await expectEqual(Self.code(of: HTTPRequest(url: url)), .invalidRequest, "\(text)")
        }
    }

    @Test(arguments: [
        "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "\r\n\r\nGET /evil HTTP/1.1", "a\u{0}b", "a\u{7F}",
    ])
    func `a user agent is one field whatever is in it`(_ name: String) async throws {
        let configuration = HTTPClient.Configuration.loopback { $0.userAgent = name }
        try await withOrigin(configuration, handler: { $0.respond(200) }) { origin, client in
            _ = try await client.get(origin.url("/"))
            let heard = try required(origin.requests.first)
            expectNil(heard.headers["X-Evil"])
            let plain = name.filter {
                $0.isASCII && !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            }
            expectEqual(heard.headers["User-Agent"], plain)
            expectEqual(origin.requestCount, 1)
        }
    }

    @Test func `methods that are no tokens, fields that inject or frame, and a HEAD with a body are refused`()
        async throws
    {
        let url = URL(string: "http://a.example/")!
        let methods = ["", "GE T", "GET\r\n", "G\u{0}T", "GÉT", "CONNECT", "TRACE", "GET:"]
        let fields: [(name: String, value: String)] = [
            ("X", "a\r\nInjected: 1"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\u{0}"), ("X", "\u{7F}"),
            ("X\r\nY", "1"), ("X:", "1"), ("", "1"), ("X Y", "1"), ("Ü", "1"), ("Host", "other.example"),
            ("content-length", "0"), ("Transfer-Encoding", "chunked"), ("Connection", "close"), ("Upgrade", "h2c"),
            ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "close"), ("TE", "trailers"), ("Trailer", "X"),
            ("Expect", "100-continue"), ("X", String(repeating: "a", count: 70_000)),
        ]
        var streamed = HTTPRequest(url: url, method: "HEAD")
        streamed.content = .stream { HTTPBody([[1]]) }
        let many = HTTPHeaders((0..<300).map { HTTPHeaders.Field(name: "X-\($0)", value: "1") })
        let requests =
            methods.map { HTTPRequest(url: url, method: $0) }
            + fields.map { HTTPRequest(url: url, headers: [$0.name: $0.value]) }
            + [HTTPRequest(url: url, headers: many), HTTPRequest(url: url, method: "HEAD", body: [1]), streamed]
        for (row, request) in requests.enumerated() {
            await expectEqual(Self.code(of: request), .invalidRequest, "row \(row): \(request.method)")
        }
    }

    @Test func `fields have as many bytes as the limit says, with what is sent around them`() async throws {
        let limits = HTTPClient.Configuration.loopback {
            ($0.maximumHeaderByteCount, $0.maximumHeaderCount) = (1_000, 2)
        }
        try await withOrigin(limits, handler: { $0.respond() }) { origin, client in
            let send = { (lengths: [Int]) async throws in
                let fields = lengths.map { HTTPHeaders.Field(name: "X", value: String(repeating: "a", count: $0)) }
                _ = try await client.send(HTTPRequest(url: origin.url("/"), headers: HTTPHeaders(fields)))
            }
            // A name of one byte, and four for the colon, the blank and the end of the line.
            for lengths in [[995], [490, 500]] { try await send(lengths) }
            for lengths in [[996], [490, 501], [1, 1, 1]] {
                await expectHTTPError(.invalidRequest, "\(lengths)") { try await send(lengths) }
            }
            expectEqual(origin.requestCount, 2)
        }
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
            let url = try required(URL(string: origin.url("/a/../b?q=1#fragment").absoluteString))
            let request = HTTPRequest(url: url, method: method, headers: ["X-A": "1", "X-Empty": ""], body: body)
            let response = try await client.send(request)
            let sendsContent = body != nil || ["POST", "PUT", "PATCH"].contains(method)
            let content = sendsContent ? "Content \(body?.count ?? 0)" : "none"
            expectEqual(
                response.headers["X-Echo"], "\(method) /a/../b?q=1 \(content) \(body ?? []) 1||swift-web-image|-|-")
            try await expectEqual(response.body.collect(upTo: 0), [])
        }
    }

    @Test func `a host has at most 255 bytes`() throws {
        let longest = String(repeating: "a.", count: 127) + "b"
        for url in ["http://\(longest)/", "HTTP://\(longest)/"] {
            #expect(throws: Never.self) { try Origin(required(URL(string: url))) }
            let long = try required(URL(string: url.replacing("b/", with: "bc/")))
            let error = expectError(HTTPError.self) { try Origin(long) }
            expectEqual(error?.code, .invalidRequest)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `what is read in one pass is what the checks read`(_ seed: UInt64) {
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
        expect(plainCount, >, 100)
    }
}
