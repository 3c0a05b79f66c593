// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import ImageServer

/// What rude, slow and hostile clients do to the port.
@Suite(.timeLimit(.minutes(10)))
struct AbuseTests {
    private static let end = "\r\n\r\n"

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        let request: String

        init(_ name: String, _ status: Int, _ request: String) {
            (testDescription, self.status, self.request) = (name, status, request)
        }
    }

    static let cases = [
        Case("plain", 200, "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("two hosts", 400, "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Case("no host", 400, "GET /health HTTP/1.1\r\n\r\n"),
        Case("two hosts of an old version", 400, "GET /health HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
        Case(
            "length beside coding", 400,
            "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case("content", 413, "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"),
        Case("coding", 413, "GET /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case("another version", 505, "GET /health HTTP/2.0\r\nHost: a\r\n\r\n"),
        Case("a version in small letters", 400, "GET /health http/1.1\r\nHost: a\r\n\r\n"),
        Case("a method that is no token", 400, "G(T /health HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case(
            "two lengths", 400,
            "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello"),
        Case("space before the colon", 400, "GET /health HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n"),
        Case("another method", 405, "DELETE /health HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("POST", 413, "POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"),
        Case("absolute target", 200, "GET http://a/health HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("absolute target without a path", 404, "GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("control character", 400, "GET /health\u{1} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("byte beyond ASCII", 400, "GET /h\u{E4} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("NUL in a field", 400, "GET /health HTTP/1.1\r\nHost: a\r\nX: b\0c\r\nY: z\r\n\r\n"),
        Case("NUL in the last field", 400, "GET /health HTTP/1.1\r\nHost: a\0b\r\n\r\n"),
        Case("NUL in the target", 400, "GET /health\0x HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("folded field", 400, "GET /health HTTP/1.1\r\nX: b\r\n c\r\nHost: a\r\n\r\n"),
        Case("last field folded", 400, "GET /health HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\n\r\n"),
        Case("folded field that begins empty", 400, "GET /health HTTP/1.1\r\nHost: a\r\nX:\r\n c\r\n\r\n"),
        Case("bare line feeds", 400, "GET /health HTTP/1.1\nHost: a\n\n"),
        Case("a bare line feed after the first line", 400, "GET /health HTTP/1.1\nHost: a\r\n\r\n"),
        Case("a bare line feed after a field", 400, "GET /health HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
        Case("a bare line feed after the last field", 400, "GET /health HTTP/1.1\r\nHost: a\n\r\n"),
        Case("a bare line feed at the end", 400, "GET /health HTTP/1.1\r\nHost: a\r\n\n"),
        Case("a line without a name", 400, "GET /health HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
        Case("two spaces", 400, "GET  /health HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("unusual space", 200, "GET /health HTTP/1.1\r\nHost:a\r\nX: \t b c \t\r\nY:\r\nZ: \r\n\r\n"),
        Case("a query", 200, "GET /health?a=b%00+c&d&e=%41 HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\n\r\n"),
        Case("an old version", 200, "GET /health HTTP/1.0\r\n\r\n"),
        Case("long target", 414, "GET /\(String(repeating: "x", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("endless target", 414, "GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case(
            "many fields", 431,
            "GET /health HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 100))\r\n"),
        Case(
            "long head", 431,
            "GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 100_000))\r\n\r\n"),
    ]

    @Test(arguments: cases) func `a request that is not clear is refused`(abuse: Case) async throws {
        try await World.run { world async throws in
            try await expectEqual(RawClient(port: world.server.port).status(of: abuse.request), abuse.status)
            try await expectEqual(world.get("/health").status, 200)
        }
    }

    @Test func `a pipeline is answered in order, and a refused request ends its connection`() async throws {
        try await World.run { world async throws in
            let client = try RawClient(port: world.server.port)
            await client.send(
                (0..<20).map { "GET /\($0 % 2 == 0 ? "health" : "nothing") HTTP/1.1\r\nHost: a\r\n" }
                    .joined(separator: "\r\n") + "Connection: close\r\n\r\n")
            let statuses = await client.receive().split(separator: "HTTP/1.1 ").map { String($0.prefix(3)) }
            expectEqual(statuses, (0..<20).map { $0 % 2 == 0 ? "200" : "404" })
            let other = try RawClient(port: world.server.port)
            await other.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n")
            await expectEqual(other.receive().split(separator: "HTTP/1.1 ").count, 1)
            let third = try RawClient(port: world.server.port)
            await third.send("PUT / HTTP/1.1\r\nHost: a\r\n\r\n")
            await expect(third.receive().contains("\r\nAllow: GET, HEAD\r\n"))
        }
    }

    @Test(arguments: ["", "GET /health HTTP/1.1\r\nHost: a\r\n", "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"])
    func `a head that does not end in time ends its connection`(beginning: String) async throws {
        try await World.run {
            let isNext = beginning.hasSuffix(Self.end)
            $0.limits.headTimeout = isNext ? .seconds(600) : .milliseconds(200)
            $0.limits.idleTimeout = isNext ? .milliseconds(200) : .seconds(600)
        } _: { world async throws in
            let (client, busy) = try (RawClient(port: world.server.port), RawClient(port: world.server.port))
            let gate = OriginGate()
            defer { gate.open() }
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            if beginning.hasSuffix(Self.end) {
                // Its second request begins with the end of the first answer, and has no end in time.
                await busy.send(beginning + "GET \(world.path(of: "/slow.png")) HTTP/1.1\r\nHost: a\r\n\r\n")
                await gate.waitUntilReached()
                await expectEqual(client.status(of: beginning), 200)
            }
            await client.send(beginning.hasSuffix(Self.end) ? "G" : beginning)
            await client.dripUntilEnd("X")
            gate.open()
            if beginning.hasSuffix(Self.end) {
                await expectEqual(busy.receive(until: "image/png").components(separatedBy: "HTTP/1.1 200 ").count, 3)
            }
            // What has a first line is a request.
            let figures = try await world.get("/metrics", port: world.server.metricsPort)
            let isLogged = String(decoding: figures.bytes, as: UTF8.self).contains("{status=\"408\"} 1\n")
            expectEqual(isLogged, beginning.hasSuffix("a\r\n"))
        }
    }

    @Test func `a client that reads nothing is cut off in time`() async throws {
        try await World.run {
            $0.limits.sendTimeout = .milliseconds(200)
        } _: { world async throws in
            let file = try Pictures.file(width: 400, height: 300)
            world.origin.respond(to: "/large.png", with: .ok(file, type: "image/png"))
            let path = world.path("original", of: "/large.png")
            try await expect(world.get(path).bytes.count, >, 70_000)
            let client = try RawClient(port: world.server.port)
            // Far more than all buffers between the two take.
            let count = 60_000_000 / file.count
            await client.send(String(repeating: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", count: min(count, 900)))
            let cutOff = "image_server_incomplete_requests_total 1\n"
            while true {
                let figures = try await world.get("/metrics", port: world.server.metricsPort)
                let text = String(decoding: figures.bytes, as: UTF8.self)
                guard text.contains(cutOff) else { continue }
                // An answer that has begun has its own status.
                expect(!text.contains("{status=\"408\"}"))
                break
            }
            await expectEqual(world.server.servers[0].runningCount, 0)
            // The connection of the first request may stay.
            while await world.server.servers[0].connectionCount > 1 { await Task.yield() }
        }
    }

    @Test func `a client that leaves cancels its load`() async throws {
        try await World.run { world async throws in
            let gate = OriginGate()
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            let client = try RawClient(port: world.server.port)
            await client.send("GET \(world.path(of: "/slow.png")) HTTP/1.1\r\nHost: a\r\n\r\n")
            await gate.waitUntilReached()
            client.leave()
            // The transfer ends without a byte, because its only caller has left.
            await expect(world.origin.waitUntilClosedByPeer(count: 1))
            let manager = world.server.manager
            while manager.counters.cancelled + manager.counters.failed == 0 { await Task.yield() }
            // A transfer that is idle for too long ends, too, but as a failure.
            expectEqual(manager.counters.cancelled, 1)
            gate.open()
            try await expectEqual(world.get("/health").status, 200)
        }
    }

    @Test func `connections beyond the limit wait for the end of another when all are busy`() async throws {
        try await World.run {
            $0.limits.connections = 2
        } _: { world async throws in
            let gate = OriginGate()
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            let clients = try (0..<2).map { _ in try RawClient(port: world.server.port) }
            for client in clients {
                await client.send("GET \(world.path(of: "/slow.png")) HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            while await world.server.manager.occupancy.callers < 2 { await Task.yield() }
            // No earlier: an idle connection would give way to it.
            let late = try RawClient(port: world.server.port)
            async let third = late.status(of: "GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
            clients[0].leave()
            await expectEqual(third, 200)
            gate.open()
            await expect(clients[1].receive(until: "\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `many clients that leave at once leave nothing behind`() async throws {
        try await World.run { world async throws in
            let gate = OriginGate()
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            let request = "GET \(world.path(of: "/slow.png")) HTTP/1.1\r\nHost: a\r\n\r\n"
            let clients = try (0..<100).map { _ in try RawClient(port: world.server.port) }
            for client in clients { await client.send(request) }
            while await world.server.manager.occupancy.callers < clients.count { await Task.yield() }
            for client in clients { client.leave() }
            while world.server.manager.counters.cancelled < clients.count { await Task.yield() }
            while await !world.server.manager.occupancy.isIdle { await Task.yield() }
            gate.open()
            expectEqual(world.origin.requestCount(for: "/slow.png"), 1)
        }
    }

    @Test func `requests beyond the limit are told to come back`() async throws {
        try await World.run {
            $0.limits.requests = 1
        } _: { world async throws in
            let gate = OriginGate()
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            async let first = world.get(world.path(of: "/slow.png"))
            await gate.waitUntilReached()
            let second = try await world.get(world.path())
            expectEqual(second.status, 503)
            expectEqual(second.headers["Retry-After"], "1")
            gate.open()
            try await expectEqual(first.status, 200)
        }
    }

    @Test func `a connection ends after its number of requests`() async throws {
        try await World.run {
            $0.limits.requestsPerConnection = 2
        } _: { world async throws in
            let client = try RawClient(port: world.server.port)
            await client.send(String(repeating: "GET /health HTTP/1.1\r\nHost: a\r\n\r\n", count: 5))
            await expectEqual(client.receive().split(separator: "HTTP/1.1 ").count, 2)
        }
    }
}
