// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct RedirectTests {
    /// Answers with what arrived, and with redirects for paths like `/302/target`.
    private static let echo: @Sendable (TestExchange) -> Void = { exchange in
        let parts = exchange.path.split(separator: "/", maxSplits: 1)
        if let status = parts.first.flatMap({ Int($0) }) {
            let rest = parts.count > 1 ? "/" + parts[1] : "/"
            return exchange.respond(status, ["Location: \(rest)"], body: Array("moved".utf8))
        }
        let seen = ["Authorization", "Cookie", "X-API-Key", "X-Other", "Content-Type"].map {
            exchange.headers[$0] ?? "-"
        }
        exchange.respond(
            200, ["X-Seen: \(exchange.method) \(exchange.path) \(exchange.body.count) \(seen.joined(separator: ","))"])
    }

    private static func send(_ client: HTTPClient, _ request: HTTPRequest) async throws -> (String?, HTTPResponse) {
        let response = try await client.send(request)
        return (response.headers["X-Seen"], response)
    }

    @Test(arguments: [
        (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
        (301, "HEAD", "HEAD"), (303, "HEAD", "HEAD"), (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"),
        (303, "PUT", "GET"), (302, "DELETE", "GET"), (307, "POST", "POST"), (308, "POST", "POST"), (307, "PUT", "PUT"),
    ])
    func `Methods and bodies follow the rules`(_ status: Int, _ method: String, _ expected: String) async throws {
        try await withOrigin(handler: Self.echo) { origin, client in
            let body: [UInt8]? = ["POST", "PUT"].contains(method) ? [1, 2, 3] : nil
            var request = HTTPRequest(url: origin.url("/\(status)/end"), method: method, body: body)
            if body != nil { request.headers["Content-Type"] = "text/x" }
            let (seen, response) = try await Self.send(client, request)
            let keeps = method == expected && body != nil
            expectEqual(seen, "\(expected) /end \(keeps ? 3 : 0) -,-,-,-,\(keeps ? "text/x" : "-")")
            expectEqual(response.url, origin.url("/end"))
            expectEqual(response.metrics.redirectCount, 1)
            // The short body of the redirect was read, so that its connection could be used again.
            expectEqual(origin.connectionCount, 1)
        }
    }

    @Test(arguments: [300, 304, 305, 399]) func `Other statuses are answers`(_ status: Int) async throws {
        try await withOrigin(handler: Self.echo) { origin, client in
            let (_, response) = try await Self.send(client, HTTPRequest(url: origin.url("/\(status)/end")))
            expectEqual(response.status, status)
        }
    }

    @Test func `A redirect without a target is an answer`() async throws {
        try await withOrigin {
            $0.respond(302, body: [1])
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            expectEqual(response.status, 302)
            try await expectEqual(response.body.collect(upTo: 1), [1])
        }
    }

    @Test(arguments: [
        ("b", "/a/b"), ("./b", "/a/b"), ("../b", "/b"), ("/b?x=1", "/b?x=1"), ("?y", "/a/start?y"), ("b#f", "/a/b"),
        ("%2e%2e/c", nil), ("", nil), ("../www%2F/a b.jpg?c d#e f", "/www%2F/a%20b.jpg?c%20d"),
    ])
    func `Relative targets are resolved`(_ location: String, _ path: String?) async throws {
        try await withOrigin { exchange in
            if exchange.path == "/a/start" { return exchange.respond(302, ["Location: \(location)"]) }
            exchange.respond(200, ["X-Path: \(exchange.path)"])
        } _: { origin, client in
            do {
                let response = try await client.send(HTTPRequest(url: origin.url("/a/start")))
                if let path { expectEqual(response.headers["X-Path"], path) }
            } catch let error as HTTPError {
                // To itself is a circle.
                expectNil(path)
                expectEqual(error.code, .tooManyRedirects)
            }
        }
    }

    /// What is no absolute reference stays with its origin, whatever it looks like.
    @Test(arguments: [
        ":9/a", ":9@127.0.0.1/", ".evil.example/x", "1/admin", "@evil.example/", "\\\\evil.example/x",
        "/\\evil.example/x",
        "\\/evil.example/", "/ /evil.example/x", "/%2Fevil.example/", "./:9/a", "/.//evil.example/x",
        "..//evil.example/x",
        "evil.example:9/x", "http:/evil.example/x", "http:evil.example/x", "?//evil.example/", "#@evil.example/",
        "%2F%2Fevil.example/",
    ])
    func `a relative target stays with its origin or is refused`(_ location: String) async throws {
        try await withOrigin { exchange in
            exchange.respond(exchange.path == "/a/start" ? 302 : 200, ["Location: \(location)"])
        } _: { origin, client in
            do {
                let response = try await client.send(HTTPRequest(url: origin.url("/a/start")))
                #expect(response.url.absoluteString.hasPrefix("http://127.0.0.1:\(origin.port)/"))
            } catch let error as HTTPError {
                #expect([.redirectNotAllowed, .tooManyRedirects].contains(error.code), "\(error)")
            }
            expectEqual(origin.connectionCount, 1)
        }
    }

    @Test func `The fragment is inherited unless the target has one`() async throws {
        try await withOrigin(handler: Self.echo) { origin, client in
            let (_, response) = try await Self.send(client, HTTPRequest(url: origin.url("/302/end#top")))
            expectEqual(response.url, origin.url("/end#top"))
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/", "data:,x", "javascript:alert(1)", "http://", "http:///x", "//",
        "http://user:pw@127.0.0.1/",
        "http://127.0.0.1:99999/", "http://exa mple/", "http://[::1/", "gopher://127.0.0.1/x",
    ])
    func `Targets that may not be fetched are refused`(_ location: String) async throws {
        try await withOrigin {
            $0.respond(302, ["Location: \(location)"])
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .redirectNotAllowed)
            expectEqual(error?.status, 302)
        }
    }

    @Test func `A target beyond the URL limit is refused`() async throws {
        try await withOrigin {
            $0.respond(302, ["Location: /" + String(repeating: "a", count: 9_000)])
        } _: {
            origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .redirectNotAllowed)
        }
    }

    @Test func `Two targets that differ are refused`() async throws {
        try await withOrigin {
            $0.respond(302, ["Location: /a", "Location: /b"])
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .invalidResponse)
        }
    }

    @Test func `Ten redirects are followed and the eleventh is not`() async throws {
        try await withOrigin { exchange in
            let left = Int(exchange.path.dropFirst()) ?? 0
            if left == 0 { return exchange.respond(200) }
            exchange.respond(302, ["Location: /\(left - 1)"])
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/10")))
            expectEqual(response.metrics.redirectCount, 10)
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/11")))
            }
            expectEqual(error?.code, .tooManyRedirects)
        }
    }

    @Test func `A circle ends early`() async throws {
        try await withOrigin {
            $0.respond(302, ["Location: " + ($0.path == "/a" ? "/b" : "/a")])
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/a")))
            }
            expectEqual(error?.code, .tooManyRedirects)
            expectEqual(error?.message.contains("loop back"), true)
        }
    }

    @Test func `Another fragment does not hide a circle`() async throws {
        try await withOrigin {
            $0.respond(302, ["Location: /a#other"])
        } _: { origin, client in
            let url = try #require(URL(string: origin.url("/a").absoluteString + "#one"))
            let error = await #expect(throws: HTTPError.self) { _ = try await client.send(HTTPRequest(url: url)) }
            expectEqual(error?.message, "The redirects loop back to \(origin.url("/a").absoluteString).")
        }
    }

    @Test func `No redirects are followed when none are wanted`() async throws {
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumRedirects = 0
        try await withOrigin(configuration, handler: Self.echo) { origin, client in
            let (_, response) = try await Self.send(client, HTTPRequest(url: origin.url("/302/end")))
            expectEqual(response.status, 302)
            expectEqual(response.url, origin.url("/302/end"))
        }
    }

    @Test func `A redirect to an address that is not allowed is refused`() async throws {
        try await withOrigin {
            $0.respond(302, ["Location: http://169.254.169.254/latest/meta-data/"])
        } _: {
            origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .addressNotAllowed)
            expectEqual(error?.message.contains("169.254.169.254"), true)
        }
    }

    @Test func `A long body of a redirect is not read`() async throws {
        let closed = Gate()
        try await withOrigin { exchange in
            if exchange.path == "/end" { return exchange.respond(200) }
            exchange.write("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 50000000\r\n\r\n")
            while exchange.write([UInt8](repeating: 0, count: 10_000)) {}
            closed.open()
            exchange.close()
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/start")))
            expectEqual(response.status, 200)
            await closed.pass()
        }
    }
}
