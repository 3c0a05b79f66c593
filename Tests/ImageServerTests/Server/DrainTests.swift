// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

/// The end of a server.
@Suite(.timeLimit(.minutes(10)))
struct DrainTests {
    @Test func `a server that retires is not ready, serves on, and closes connections after their answers`()
        async throws
    {
        try await World.run {
            ($0.limits.headTimeout, $0.limits.lastHeadTimeout) = (.seconds(600), .milliseconds(20))
        } _: { world async throws in
            let (server, clock) = (world.server, ManualClock())
            // A connection that brings no request holds nothing up.
            let (client, idle) = try (RawClient(port: server.port), RawClient(port: server.port))
            let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
            await client.send(request)
            await expect(!client.receive(until: "ok\n").contains("Connection:"))
            async let retirement: Void = server.retire(for: .seconds(5), clock: clock)
            while clock.sleepers == 0 { await Task.yield() }
            for port in [server.port, server.metricsPort] {
                try await expectEqual(world.get("/ready", port: port).status, 503)
            }
            try await expectEqual(world.get(world.path()).status, 200)
            await client.send(request)
            await expect(client.receive().contains("Connection: close"))
            clock.advance(by: .seconds(5))
            await retirement
            client.leave()
            while await server.servers[0].connectionCount > 1 { await Task.yield() }
            await expect(server.drain().isClean)
            await expectEqual(idle.receive(), "")
            expectError(POSIXError.self) { try RawClient(port: server.port) }
        }
    }

    @Test func `a new connection has time for its request while the server drains`() async throws {
        try await World.run {
            ($0.drainTimeout, $0.limits.lastHeadTimeout) = (.seconds(60), .seconds(60))
        } _: { world async throws in
            let server = world.server
            let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            await clients[0].send(request)
            _ = await clients[0].receive(until: "ok\n")
            await clients[1].send("GET /health HTTP/1.1\r\n")
            async let report = server.drain()
            await expectEqual(clients[0].receive(), "")
            while (try? RawClient(port: server.port)) != nil { await Task.yield() }
            await clients[1].send("Host: a\r\n\r\n")
            await clients[2].send(request)
            for client in clients[1...] {
                let answer = await client.receive()
                expectAll(answer.hasPrefix("HTTP/1.1 200 "), answer.contains("Connection: close"))
            }
            await expect(report.isClean)
        }
    }

    @Test func `requests that do not end in time are cancelled and reported`() async throws {
        try await World.run {
            $0.drainTimeout = .milliseconds(100)
        } _: { world async throws in
            let gate = OriginGate()
            defer { gate.open() }
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            async let answer = world.get(world.path(of: "/slow.png"))
            async let other = world.get(world.path("w8", of: "/slow.png"))
            while await world.server.servers[0].runningCount < 2 { await Task.yield() }
            let reader = try await ConnectionTests.slowReader(world)
            while await world.server.servers[0].waitingCount < 1 { await Task.yield() }
            let report = await world.server.drain()
            expectEqual(report.droppedRequestCount, 3)
            expect(!report.isClean)
            _ = await reader.receive()
            try await expectEqual([answer.status, other.status], [503, 503])
            try await expectEqual([answer.headers["Retry-After"], other.headers["Retry-After"]], ["1", "1"])
        }
    }
}
