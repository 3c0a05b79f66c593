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

    @Test func `other statuses, and redirects that lead nowhere or are not wanted, are answers`() async throws {
        try await withOrigin { exchange in
            let isBare = exchange.path.hasSuffix("/bare")
            isBare ? exchange.respond(Int(exchange.path.dropFirst().prefix(3))!, body: [9]) : Self.echo(exchange)
        } _: { origin, client in
            for status in [300, 304, 305, 399] {
                let (_, response) = try await Self.send(client, HTTPRequest(url: origin.url("/\(status)/end")))
                expectEqual(response.status, status)
            }
            // An error, and a redirect without a target.
            for status in [404, 302] {
                let response = try await client.get(origin.url("/\(status)/bare"))
                expectEqual(response.status, status)
                try await expectEqual(response.body.collect(upTo: 10), [9], "\(status)")
            }
        }
        try await withOrigin(.loopback { $0.maximumRedirects = 0 }, handler: Self.echo) { origin, client in
            let (_, response) = try await Self.send(client, HTTPRequest(url: origin.url("/302/end")))
            expectEqual(response.status, 302)
            expectEqual(response.url, origin.url("/302/end"))
        }
    }

    @Test(
        arguments: [
            ("b", "/a/b", "top"), ("./b", "/a/b", "top"), ("../b", "/b", "top"), ("/b?x=1", "/b?x=1", "top"),
            ("?y", "/a/start?y", "top"), ("b#f", "/a/b", "f"), ("%2e%2e/c", nil, ""), ("", nil, ""),
            ("../www%2F/a b.jpg?c d#e f", "/www%2F/a%20b.jpg?c%20d", "e%20f"),
        ] as [(String, String?, String)])
    func `relative targets are resolved, and the fragment is inherited unless the target has one`(
        _ location: String, _ path: String?, _ fragment: String
    ) async throws {
        try await withOrigin { exchange in
            if exchange.path == "/a/start" { return exchange.respond(302, ["Location: \(location)"]) }
            exchange.respond(200, ["X-Path: \(exchange.path)"])
        } _: { origin, client in
            do {
                let response = try await client.get(origin.url("/a/start#top"))
                guard let path else { return }
                expectEqual(response.headers["X-Path"], path)
                expectEqual(response.url.absoluteString, origin.url(path).absoluteString + "#" + fragment)
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
                let response = try await client.get(origin.url("/a/start"))
                expect(response.url.absoluteString.hasPrefix("http://127.0.0.1:\(origin.port)/"))
            } catch let error as HTTPError {
                expect([.redirectNotAllowed, .tooManyRedirects].contains(error.code), "\(error)")
            }
            expectEqual(origin.connectionCount, 1)
        }
    }

    @Test func `targets that may not be fetched are refused`() async throws {
        let targets = [
            "file:///etc/passwd", "ftp://127.0.0.1/", "data:,x", "javascript:alert(1)", "http://", "http:///x", "//",
            "http://user:pw@127.0.0.1/", "http://127.0.0.1:99999/", "http://exa mple/", "http://[::1/",
            "gopher://127.0.0.1/x", "/" + String(repeating: "a", count: 9_000),
        ]
        try await withOrigin { exchange in
            switch exchange.path {
            case "/two": exchange.respond(302, ["Location: /a", "Location: /b"])
            case "/metadata": exchange.respond(302, ["Location: http://169.254.169.254/latest/meta-data/"])
            case let path: exchange.respond(302, ["Location: \(targets[Int(path.dropFirst())!])"])
            }
        } _: { origin, client in
            for (row, target) in targets.enumerated() {
                let error = await expectHTTPError(.redirectNotAllowed, "\(target)") {
                    try await client.get(origin.url("/\(row)"))
                }
                expectEqual(error?.status, 302, "\(target)")
            }
            // Two targets that differ.
            await expectHTTPError(.invalidResponse) { try await client.get(origin.url("/two")) }
            let error = await expectHTTPError(.addressNotAllowed) { try await client.get(origin.url("/metadata")) }
            expectEqual(error?.message.contains("169.254.169.254"), true)
        }
    }

    @Test func `Ten redirects are followed and the eleventh is not`() async throws {
        try await withOrigin { exchange in
            let left = Int(exchange.path.dropFirst()) ?? 0
            if left == 0 { return exchange.respond(200) }
            exchange.respond(302, ["Location: /\(left - 1)"])
        } _: { origin, client in
            let response = try await client.get(origin.url("/10"))
            expectEqual(response.metrics.redirectCount, 10)
            await expectHTTPError(.tooManyRedirects) { try await client.get(origin.url("/11")) }
        }
    }

    @Test func `a circle ends early, and another fragment does not hide it`() async throws {
        let next = ["/a": "/b", "/b": "/a", "/one": "/one#other"]
        try await withOrigin(handler: { $0.respond(302, ["Location: " + next[$0.path]!]) }) { origin, client in
            let error = await expectHTTPError(.tooManyRedirects) { try await client.get(origin.url("/a")) }
            expectEqual(error?.message.contains("loop back"), true)
            let hidden = await expectHTTPError { try await client.get(origin.url("/one#one")) }
            expectEqual(hidden?.message, "The redirects loop back to \(origin.url("/one").absoluteString).")
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
            let response = try await client.get(origin.url("/start"))
            expectEqual(response.status, 200)
            await closed.pass()
        }
    }
}
