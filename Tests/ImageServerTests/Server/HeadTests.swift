// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing

@testable import ImageServer

/// Every head gets one answer.
@Suite(.timeLimit(.minutes(10)))
struct HeadTests {
    @Test func `every head gets an answer, whatever its size`() async throws {
        try await World.run { world async throws in
            for count in Array(stride(from: 7_000, through: 20_000, by: 97)) + [16_383, 16_384, 16_385] {
                for field in ["X: ", "Cookie: a="] {
                    let start = "GET /health HTTP/1.1\r\nHost: a\r\n\(field)"
                    let filling = String(repeating: "y", count: count - start.utf8.count - 4)
                    let status = try await RawClient(port: world.server.port).status(of: start + filling + "\r\n\r\n")
                    expectEqual(status, (count <= 16_384 ? 200 : 431), "\(field)\(count)")
                }
            }
        }
    }

    /// Heads that parsers refuse before they know the fields.
    static let faults =
        [
            "GET /health HTTP/1.1\r\n\r\n", "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET /health HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n", "GET /health\r\n\r\n",
            "GET /health HTTP/1.1x\r\nHost: a\r\n\r\n",
            "GET /health\t HTTP/1.1\r\nHost: a\r\n\r\n", "GET /he alth HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", "GET ftp://a/health HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http:///health HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://b@a/health HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        + ["+0", "+5", "-1", "0x0", "5, 5", "0, 0", "", "1e1"].map {
            "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: \($0)\r\n\r\n"
        }

    @Test(arguments: faults)
    func `a refused head gets one answer, which is logged with its status`(head: String) async throws {
        try await World.run {
            $0.metricsPort = 0
        } _: { world async throws in
            let client = try RawClient(port: world.server.port)
            await client.send(head)
            let answer = await client.receive()
            expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            expectEqual(answer.components(separatedBy: "HTTP/1.1 ").count, 2, "\(answer)")
            let body = answer.components(separatedBy: "\r\n\r\n").last ?? ""
            expect(answer.lowercased().contains("content-length: \(body.utf8.count)\r\n"))
            let figures = try await world.get("/metrics", port: world.server.metricsPort)
            let text = String(decoding: figures.bytes, as: UTF8.self)
            expect(text.contains("image_server_requests_total{status=\"400\"} 1\n"))
            expect(text.contains("image_server_errors_total{code=\"refusedRequest\"} 1\n"))
        }
    }

    @Test func `a target may be a whole address, and a head may come in any pieces and after an empty line`()
        async throws
    {
        try await World.run { world async throws in
            for line in [
                "GET http://a/health", "GET HTTP://b.example:80/health?x", "GET https://a/health", "\r\nGET /health",
            ] {
                let request = "\(line) HTTP/1.1\r\nHost: a\r\n\r\n"
                try await expectEqual(RawClient(port: world.server.port).status(of: request), 200, "\(line)")
            }
            let client = try RawClient(port: world.server.port)
            for _ in 0..<2 {
                for letter in "GET /health HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n" { await client.send(String(letter)) }
                await expect(client.receive(until: "ok\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
        }
    }

    /// - Source: RFC 9112, section 9.3.
    @Test func `a connection of version 1.0 stays open only where the client asks for it`() async throws {
        try await World.run { world async throws in
            for (fields, stays) in [
                ("", false), ("Connection: keep-alive\r\n", true), ("Connection: keep-alive, close\r\n", false),
            ] {
                let client = try RawClient(port: world.server.port)
                let request = "GET /health HTTP/1.0\r\n\(fields)\r\n"
                await client.send(request)
                let answer = await client.receive(until: "ok\n")
                expect(answer.contains("\r\nConnection: \(stays ? "keep-alive" : "close")\r\n"), "\(answer)")
                await expectEqual(client.status(of: request), stays ? 200 : 0)
            }
        }
    }

    @Test func `fields of one name are one list, and no text ends the head of an answer`() throws {
        let bytes = Array(
            """
            GET / HTTP/1.1\r\nHost: a\r\nAccept:  image/png \t\r\nConnection: z,\tClose\r\nIf-None-Match: "a"\r
            ACCEPT: image/webp\r\nconnection: x, y\r\nif-none-match: "b"\r\n\r\n
            """.utf8)
        var search = HeadSearch()
        _ = try search.end(in: bytes)
        let head = RequestHead(bytes, lines: search.lines)
        expectEqual(head.fields.accept, "image/png, image/webp")
        expectEqual(head.fields.ifNoneMatch, #""a", "b""#)
        expect(head.closes)
        for text in ["a\rb", "a\nb", "a\0b", "a\u{7F}b", "a\r\nX: y"] {
            let answer = Answer(200, [("ETag", "1"), ("X", text)])
            let head = String(decoding: answer.head(date: "now", id: "1", connection: nil), as: UTF8.self)
            expect(head.contains("ETag: 1\r\n") && !head.contains("X: "), "\(head)")
        }
    }

    @Test func `a client that has ended its direction before the end of its head is let go at once`() async throws {
        try await World.run {
            $0.limits.headTimeout = .seconds(600)
        } _: { world async throws in
            let client = try RawClient(port: world.server.port)
            await client.send("GET /health HTTP/1.1\r\nHost: a\r\n")
            client.endSending()
            await expectEqual(client.receive(), "")
        }
    }
}
