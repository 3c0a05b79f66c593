// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// What a program decides about redirects.
@Suite(.timeLimit(.minutes(1)))
struct RedirectRuleTests {
    private struct Refusal: Error {}

    /// `/to/x` leads to `/x`; everything else says what arrived.
    private static let answer: @Sendable (TestExchange) -> Void = { exchange in
        if exchange.path.hasPrefix("/to/") {
            return exchange.respond(302, ["Location: \(exchange.path.dropFirst(3))", "X-From: \(exchange.path)"])
        }
        let seen = ["Authorization", "Cookie", "X-Key", "Accept"].map { exchange.headers[$0] ?? "-" }
        exchange.respond(200, ["X-Seen: \(exchange.method) \(exchange.path) \(seen.joined(separator: ","))"])
    }

    private static func rule(
        _ decision: @escaping @Sendable (HTTPRedirect) throws -> HTTPRedirectRule.Decision
    ) -> HTTPRedirectRule {
        HTTPRedirectRule(identity: "test") { try decision($0) }
    }

    @Test func `a rule follows, refuses, answers with the redirect, or throws`() async throws {
        let rule = Self.rule { redirect in
            switch redirect.next.url.path {
            case "/refused": return .refuse
            case "/answered": return .answer
            case "/thrown": throw Refusal()
            default: return .follow
            }
        }
        try await withOrigin(.loopback { $0.redirectRule = rule }, handler: Self.answer) { origin, client in
            let followed = try await client.get(origin.url("/to/end"))
            expectEqual(followed.headers["X-Seen"], "GET /end -,-,-,*/*")
            let error = await expectHTTPError(.redirectNotAllowed) { try await client.get(origin.url("/to/refused")) }
            expectEqual(error?.message.contains("rule test"), true)
            expectEqual(error?.url, origin.url("/to/refused"))
            let answered = try await client.get(origin.url("/to/answered"))
            expectEqual(answered.status, 302)
            expectEqual(answered.url, origin.url("/to/answered"))
            await expectError(Refusal.self) { try await client.get(origin.url("/to/thrown")) }
            expectEqual(origin.requests.count, 5)
        }
    }

    @Test func `a rule sees each redirect and the request that would follow, and that of a request comes first`()
        async throws
    {
        let seen = Mutex<[HTTPRedirect]>([])
        let own = Self.rule { redirect in
            seen.withLock { $0.append(redirect) }
            return .follow
        }
        try await withOrigin(.loopback { $0.redirectRule = Self.rule { _ in .refuse } }, handler: Self.answer) {
            origin, client in
            var request = HTTPRequest(url: origin.url("/to/to/end"), method: "POST", body: [1])
            await expectHTTPError(.redirectNotAllowed) { try await client.send(request) }
            request.options.redirectRule = own
            let response = try await client.send(request)
            expectEqual(response.status, 200)
            let redirects = seen.withLock { $0 }
            expectEqual(redirects.map(\.status), [302, 302])
            expectEqual(redirects.map(\.precedingCount), [0, 1])
            expectEqual(redirects.map(\.source), [origin.url("/to/to/end"), origin.url("/to/end")])
            expectEqual(redirects.map(\.next.url), [origin.url("/to/end"), origin.url("/end")])
            expectEqual(redirects.map(\.next.method), ["GET", "GET"])
            expectEqual(redirects.map { $0.headers["X-From"] }, ["/to/to/end", "/to/end"])
        }
    }

    @Test func `a changed request takes along what its origin may get`() async throws {
        let other = try OriginServer.byHand(Self.answer)
        defer { other.stop() }
        let elsewhere = other.url("/elsewhere")
        let rule = Self.rule { redirect in
            var next = redirect.next
            next.url = redirect.next.url.path == "/away" ? elsewhere : redirect.next.url.appending(path: "more")
            next.headers["X-Key"] = "changed"
            next.options.credential = .bearer("other")
            next.options.cookies.values = ["b": "2"]
            return .change(next)
        }
        try await withOrigin(.loopback { $0.redirectRule = rule }, handler: Self.answer) { origin, client in
            for (path, expected) in [
                ("/to/end", "GET /end/more Bearer own,a=1,changed,x"), ("/to/away", "GET /elsewhere -,-,-,x"),
            ] {
                var request = HTTPRequest(url: origin.url(path), headers: ["Accept": "x", "X-Key": "k"])
                request.options.credential = .bearer("own")
                request.options.cookies.values = ["a": "1"]
                let response = try await client.send(request)
                expectEqual(response.headers["X-Seen"], expected)
            }
        }
    }

    @Test func `a changed request passes the checks of every redirect`() async throws {
        let rows: [(target: String, code: HTTPError.Code)] = [
            ("http://10.0.0.1/", .addressNotAllowed), ("ftp://a.example/", .redirectNotAllowed),
            ("/to/end", .tooManyRedirects),
        ]
        for (target, code) in rows {
            let rule = Self.rule { redirect in
                var next = redirect.next
                next.url = URL(string: target, relativeTo: redirect.source)!.absoluteURL
                return .change(next)
            }
            try await withOrigin(.loopback { $0.redirectRule = rule }, handler: Self.answer) { origin, client in
                await expectHTTPError(code, "\(target)") { try await client.get(origin.url("/to/end")) }
                expectEqual(origin.requests.count, 1)
            }
        }
    }

    @Test func `a rule may lead away from a target that the client refuses`() async throws {
        let rule = Self.rule { redirect in
            var next = redirect.next
            next.url = redirect.source.deletingLastPathComponent().appending(path: "safe")
            return .change(next)
        }
        try await withOrigin(.loopback { $0.redirectRule = rule }) { exchange in
            exchange.path == "/start"
                ? exchange.respond(302, ["Location: http://10.0.0.1/"])
                : exchange.respond(200, ["X-Path: \(exchange.path)"])
        } _: { origin, client in
            let response = try await client.get(origin.url("/start"))
            expectEqual(response.headers["X-Path"], "/safe")
        }
    }

    @Test func `rules are equal by the bytes of their names`() {
        let (one, other) = (Self.rule { _ in .follow }, Self.rule { _ in .refuse })
        expectEqual(one, other)
        expectEqual(Set([one, other, HTTPRedirectRule(identity: "else") { _ in .follow }]).count, 2)
        #expect(
            HTTPRedirectRule(identity: "\u{E9}") { _ in .follow }
                != HTTPRedirectRule(identity: "e\u{301}") { _ in .follow })
    }
}
