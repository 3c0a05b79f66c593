// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// The cookies of one request, beside the jar of its client.
@Suite(.timeLimit(.minutes(1)))
struct RequestCookieTests {
    /// Sets a cookie that counts the requests; `/to/x` leads to `/x`.
    private static let answer: @Sendable (TestExchange) -> Void = { exchange in
        let cookies = ["Set-Cookie: kept=\(exchange.headers["Cookie"] ?? "first"); Path=/"]
        let target = exchange.path.dropFirst(3)
        exchange.path.hasPrefix("/to/")
            ? exchange.respond(302, ["Location: \(target)"] + cookies) : exchange.respond(200, cookies)
    }

    private static func request(
        _ url: URL, _ change: (inout HTTPRequestCookies) -> Void = { _ in }
    ) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        change(&request.options.cookies)
        return request
    }

    private static func cookies(_ origin: OriginServer) -> [String?] { origin.requests.map { $0.headers["Cookie"] } }

    @Test func `values of a request are sent without a jar, in order, and within their origin`() async throws {
        let other = try OriginServer.byHand { $0.respond(302, ["Location: \($0.headers["Referer"] ?? "/")"]) }
        defer { other.stop() }
        try await withOrigin { exchange in
            exchange.path == "/away"
                ? exchange.respond(302, ["Location: \(other.url("/").absoluteString)"]) : Self.answer(exchange)
        } _: { origin, client in
            let values = ["b": "2", "a": "1 x"]
            _ = try await client.send(Self.request(origin.url("/to/end")) { $0.values = values })
            expectEqual(Self.cookies(origin), ["a=1 x; b=2", "a=1 x; b=2"])
            _ = try? await client.send(Self.request(origin.url("/away")) { $0.values = values })
            expectNil(other.requests.first?.headers["Cookie"])
        }
    }

    @Test func `a request sends the jar of the client and keeps what is answered, or not`() async throws {
        let jar = HTTPCookieJar()
        try await withOrigin(.loopback { $0.cookieJar = jar }, handler: Self.answer) { origin, client in
            let url = origin.url("/")
            _ = try await client.send(Self.request(url) { $0.keepsAnswered = false })
            expectEqual(jar.count, 0)
            _ = try await client.send(Self.request(url))
            expectEqual(jar.count, 1)
            _ = try await client.send(Self.request(url) { $0.sendsJar = false })
            _ = try await client.send(Self.request(url) { $0.values = ["own": "1"] })
            _ = try await client.send(Self.request(url) { $0.values = ["kept": "2", "own": "1"] })
            expectEqual(Self.cookies(origin), [nil, nil, nil, "kept=first; own=1", "kept=2; own=1"])
        }
    }

    @Test func `a jar of a request takes the place of the client's`() async throws {
        let (shared, own) = (HTTPCookieJar(), HTTPCookieJar())
        try await withOrigin(.loopback { $0.cookieJar = shared }, handler: Self.answer) { origin, client in
            _ = try await client.send(Self.request(origin.url("/to/end")) { $0.jar = own })
            _ = try await client.get(origin.url("/"))
            expectEqual(Self.cookies(origin), [nil, "kept=first", nil])
            expectEqual([shared.count, own.count], [1, 1])
        }
    }

    @Test func `cookies that would be read as others are refused`() async throws {
        try await withOrigin(handler: Self.answer) { origin, client in
            for values in [
                ["a": "1; b=2"], ["a": "1\r\nX: y"], ["a": "1\u{7F}"], ["a": " 1"], ["": "1"], ["a b": "1"],
                ["a=": "1"], ["a": String(repeating: "x", count: 100_000)],
            ] {
                await expectHTTPError(.invalidRequest, "\(values.keys)") {
                    try await client.send(Self.request(origin.url("/")) { $0.values = values })
                }
            }
            var request = Self.request(origin.url("/")) { $0.values = ["a": "1"] }
            request.headers["cookie"] = "b=2"
            await expectHTTPError(.invalidRequest) { try await client.send(request) }
            expectEqual(origin.requests.count, 0)
        }
    }

    @Test func `cookies are compared by their bytes and described without them`() {
        func cookies(_ change: (inout HTTPRequestCookies) -> Void) -> HTTPRequestCookies {
            Self.request(URL(string: "http://a.example/")!, change).options.cookies
        }
        let jar = HTTPCookieJar()
        let different = [
            cookies { _ in }, cookies { $0.values = ["a": "K"] }, cookies { $0.values = ["a": "\u{212A}"] },
            cookies { $0.jar = jar }, cookies { $0.jar = HTTPCookieJar() }, cookies { $0.sendsJar = false },
            cookies { $0.keepsAnswered = false },
        ]
        for (index, one) in different.enumerated() { expect(different[..<index].allSatisfy { $0 != one }) }
        expectEqual(Set(different.map(\.hashValue)).count, different.count)
        // A jar that is gone leaves its address to the next one, and its number to none.
        let gone = (0..<50).map { _ in cookies { $0.jar = HTTPCookieJar() }.hashValue }
        expectEqual(Set(gone).count, 50)
        expectEqual(cookies { $0.values = ["a": "1", "b": "2"] }, cookies { $0.values = ["b": "2", "a": "1"] })
        var dumped = ""
        dump(cookies { $0.values = ["secret": "hidden"] }, to: &dumped)
        for text in [dumped, "\(cookies { $0.values = ["secret": "hidden"] })"] {
            expectAll(!text.contains("secret"), !text.contains("hidden"))
        }
    }
}
