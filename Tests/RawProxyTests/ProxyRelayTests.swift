// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import raw_proxy

/// What passes between a client and the origin, on sockets that send what no client of HTTP sends.
@Suite(.timeLimit(.minutes(1))) struct ProxyRelayTests {
    private static func get(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    }

    /// What continues the authority of an address, or leads to another one.
    private static let foreign = [
        ":9000/admin", "1/admin", ".evil.example/x", "@127.0.0.1:9000/x", ":x@127.0.0.1:9000/x", "-evil.example/x",
        "%2eevil.example/x", "*", "a", "\\evil.example/x", "https://evil.example/x", "ftp://evil.example/x",
        ":9000/?u=http://a/", "?@evil.example/", "#@evil.example/", "localhost:9000",
    ]

    @Test(arguments: foreign, ["http://localhost", "http://127.0.0.1:1200"])
    func `a target that is neither a path nor an address names nothing`(target: String, origin: String) throws {
        expectNil(Proxy.address(of: target, at: try required(URL(string: origin))))
    }

    @Test(arguments: [
        ("/a?b=http://c", "/a?b=http://c"), ("//evil.example/x", "//evil.example/x"),
        ("/@evil.example", "/@evil.example"),
        ("http://evil.example:9000/a?b", "/a?b"), ("HTTP://evil.example?b", "/?b"), ("http://evil.example", "/"),
        ("http://a@evil.example/x", "/x"), ("http://:9000", "/"), ("/a|b", "/a%7Cb"),
    ]) func `a path, also that of an address, is one of the origin`(target: String, path: String) throws {
        for origin in ["http://localhost", "http://127.0.0.1:1200", "https://[::1]:81"] {
            let url = try required(URL(string: origin))
            expectEqual(Proxy.address(of: target, at: url)?.absoluteString, origin + path)
        }
    }

    @Test func `no target reaches a server beside the origin`() async throws {
        try await withOriginServer { other in
            other.respondToEverything { _ in .ok([1]) }
            let port = "\(other.port)"
            var configuration = HTTPClient.Configuration()
            configuration.addressPolicy = .unrestricted
            let client = HTTPClient(configuration: configuration)
            let proxy = Proxy(client: client, store: MemoryStore(), rules: .shared)
            for (origin, target) in [
                ("http://127.0.0.1", ":\(port)/admin"),
                ("http://127.0.0.1:\(port.dropLast())", "\(port.suffix(1))/admin"),
                ("http://127.0.0", ".1:\(port)/admin"),
            ] {
                let server = try proxy.serve(origin: try required(URL(string: origin)), port: 0)
                await expect(ProxyWorld.exchange(Self.get(target), with: server.port).hasPrefix("HTTP/1.1 400 "))
                server.stop()
            }
            expectEqual(other.requestCount, 0)
            await client.shutdown()
        }
    }

    @Test func `a target that names nothing ends its connection`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respondToEverything { _ in .ok([1]) }
            let next = Self.get("/a")
            for line in ["GET * HTTP/1.1", "CONNECT a:80 HTTP/1.1", "GET a HTTP/1.1"] {
                let answers = await world.exchange("\(line)\r\nHost: a\r\n\r\n\(next)")
                expectAll(answers.hasPrefix("HTTP/1.1 400 "), answers.contains("\r\nConnection: close\r\n"))
                expectEqual(answers.components(separatedBy: "HTTP/1.1 ").count, 2)
            }
            expectEqual(world.origin.requestCount, 0)
        }
    }

    @Test func `fields of a connection reach neither the origin nor the client`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a") { request in
                .text(request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "\n"))
            }
            let answer = await world.exchange(
                "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\nX-Kept: kept\r\n"
                    + "Proxy-Authorization: Basic YTpi\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\n\r\n")
            for text in ["HTTP/1.1 200 ", "X-Kept=kept", "Via=1.1 raw-proxy"] {
                expect(answer.contains(text), "\(text) in \(answer)")
            }
            expect(answer.hasPrefix("HTTP/1.1 200 "))
            let heard = answer.lowercased()
            for name in ["x-secret=", "proxy-authorization=", "keep-alive=", "te=t", "connection=close"] {
                expect(!heard.contains(name), "\(name)")
            }
            // And those of the origin's connection do not reach the client.
            let bytes =
                "HTTP/1.1 200 OK\r\nConnection: X-Hop, close\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
                + "Proxy-Authenticate: Basic\r\nX-Kept: kept\r\nContent-Length: 1\r\n\r\nb"
            world.origin.respond(to: "/b", with: .verbatim(Array(bytes.utf8)))
            let back = await world.exchange(Self.get("/b"))
            expect(back.hasPrefix("HTTP/1.1 200 "), "\(back)")
            for text in ["X-Kept: kept\r\n", "Via: 1.1 raw-proxy\r\n"] { expect(back.contains(text), "\(text)") }
            for name in ["X-Hop", "Keep-Alive", "Proxy-Authenticate"] { expect(!back.contains(name), "\(name)") }
        }
    }

    @Test func `interim answers and bodies are as the version and the status have it, and so is the end`() async throws
    {
        try await ProxyWorld.run { world in
            let hints = "HTTP/1.1 103 X\r\nConnection: X-Hop\r\nX-Hop: 1\r\nLink: </b>\r\n\r\n"
            let whole =
                "HTTP/1.1 100 Continue\r\n\r\n\(hints)HTTP/1.1 200 OK\r\nETag: \"a\"\r\n"
                + "Via: 1.0 other\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nbody"
            world.origin.respond(to: "/a", with: .verbatim(Array(whole.utf8)))
            world.origin.respond(to: "/n", with: .status(204))
            func statuses(_ answers: String) -> [Substring] {
                answers.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            }
            let first = await world.exchange(Self.get("/a"))
            expectEqual(statuses(first), ["103", "200"])
            for text in ["Link: </b>\r\n", "Via: 1.0 other\r\n", "Via: 1.1 raw-proxy\r\n"] {
                expect(first.contains(text))
            }
            expectAll(!first.contains("X-Hop"), first.hasSuffix("\r\n\r\nbody"))
            expect(first.contains("\r\nConnection: close\r\n"))
            world.origin.respond(to: "/h", with: .verbatim(Array("HTTP/1.1 200 X\r\nContent-Length: 7\r\n\r\n".utf8)))
            let head = await world.exchange("HEAD /h HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n")
            expectAll(head.contains("Content-Length: 7\r\n"), head.contains("\r\nConnection: close\r\n"))
            let old = await world.exchange("GET /a?old HTTP/1.0\r\nHost: a\r\n\r\n")
            expectEqual(statuses(old), ["200"])
            // One connection for all: no body stands before the next answer.
            let several = await world.exchange(
                "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"a\"\r\n\r\n"
                    + Self.get("/n"))
            expectEqual(statuses(several), ["200", "304", "204"])
            expect(!several.contains("body"))
            expect(several.components(separatedBy: "HTTP/1.1 204").last?.contains("Content-Length") == false)
        }
    }

    @Test func `a client that leaves ends the work for it`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a", with: .silence)
            let client = Task { try await world.get("/a") }
            await expect(world.origin.waitForRequests(count: 1))
            client.cancel()
            await expect(world.origin.waitUntilClosedByPeer(count: 1))
            _ = await client.result
        }
    }

    @Test func `a switch to another protocol is refused at once`() async throws {
        try await ProxyWorld.run { world in
            let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
            world.origin.respond(to: "/a") { _ in
                .byHand { wire in
                    wire.write(switching)
                    wire.waitForClose()
                }
            }
            await expect(world.exchange(Self.get("/a")).hasPrefix("HTTP/1.1 502 "))
            expectEqual(world.origin.requestCount(for: "/a"), 1)
        }
    }

    @Test func `idle clients and slow heads keep no other out`() async throws {
        try await ProxyWorld.run(connections: 2) { world in
            world.origin.respond(to: "/a", with: .ok([98]))
            for beginning in ["", "GET /a HTTP/1.1\r\nHost: a\r\n", "GET /a HTTP/1.1\r\nHost: a\r\n\r\nG"] {
                for _ in 0..<3 {
                    // The proxy ends them.
                    Task { await world.exchange(beginning) }
                    await expect(world.exchange(Self.get("/a")).hasPrefix("HTTP/1.1 200 "))
                }
            }
        }
    }

    @Test func `empty lines before a request are passed over`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a", with: .ok([98]))
            await expect(world.exchange("\r\n" + Self.get("/a")).hasPrefix("HTTP/1.1 200 "))
            await expect(world.exchange("\r\n\r\n" + Self.get("/a")).hasPrefix("HTTP/1.1 200 "))
        }
    }
}
