// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

/// Whose turn it is when connections, requests and memory run out.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    private static let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `the oldest idle connection gives way to a new one`() async throws {
        try await World.run {
            $0.limits.connections = 2
        } _: { world async throws in
            let clients = try [RawClient(port: world.server.port), RawClient(port: world.server.port)]
            for client in clients { await expectEqual(client.status(of: Self.request), 200) }
            try await expectEqual(RawClient(port: world.server.port).status(of: Self.request), 200)
            await expectEqual(clients[0].receive(), "")
            await expectEqual(clients[1].status(of: Self.request), 200)
        }
    }

    @Test func `a connection that was refused gives way before one that is idle for longer`() async throws {
        try await World.run {
            ($0.limits.connections, $0.limits.requests) = (3, 1)
        } _: { world async throws in
            let gate = OriginGate()
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            let idle = try RawClient(port: world.server.port)
            await expectEqual(idle.status(of: Self.request), 200)
            async let slow = world.get(world.path(of: "/slow.png"))
            await gate.waitUntilReached()
            var last: RawClient?
            for _ in 0..<20 {
                let client = try RawClient(port: world.server.port)
                let picture = "GET \(world.path()) HTTP/1.1\r\nHost: a\r\n\r\n"
                await expectEqual(client.status(of: picture), 503)
                if let last { await expectEqual(last.receive(), "") }
                last = client
            }
            await expectEqual(idle.status(of: Self.request), 200)
            gate.open()
            try await expectEqual(slow.status, 200)
        }
    }

    @Test func `a reader that takes its time holds no slot`() async throws {
        try await World.run {
            $0.limits.requests = 1
        } _: { world async throws in
            let slow = try await Self.slowReader(world)
            await expect(slow.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            try await expectEqual(world.get(world.path()).status, 200)
        }
    }

    @Test func `health is answered when all slots for requests are taken`() async throws {
        try await World.run {
            $0.limits.requests = 1
        } _: { world async throws in
            let gate = OriginGate()
            world.origin.respond(to: "/slow.png", with: .ok(try Pictures.file(), type: "image/png").held(at: gate))
            async let first = world.get(world.path(of: "/slow.png"))
            await gate.waitUntilReached()
            try await expectEqual(world.get("/health").status, 200)
            try await expectEqual(world.get("/ready").status, 200)
            gate.open()
            try await expectEqual(first.status, 200)
        }
    }

    @Test func `a connection whose request has come is not taken for an idle one`() async throws {
        try await World.run {
            $0.limits.connections = 1
        } _: { world async throws in
            let clients = try (0..<30).map { _ in try RawClient(port: world.server.port) }
            await withTaskGroup { group in
                for client in clients { group.addTask { await client.status(of: Self.request) } }
                for await status in group { expectEqual(status, 200) }
            }
        }
    }

    @Test func `when more bytes wait than may, the slowest reader is cut off`() async throws {
        try await World.run {
            $0.limits.waitingByteCount = 1
        } _: { world async throws in
            let first = try await Self.slowReader(world)
            while await world.server.servers[0].waitingCount < 1 { await Task.yield() }
            let second = try await Self.slowReader(world)
            _ = await first.receive()
            await expectEqual(world.server.servers[0].connectionCount, 1)
            // What the first one has left behind makes no difference to the second.
            await expect(world.server.servers[0].waitingCount, <=, 1)
            await expect(second.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `requests behind an answer that waits for its reader are answered`() async throws {
        try await World.run { world async throws in
            let reader = try await Self.slowReader(world, count: 200)
            while await world.server.servers[0].waitingCount < 1 { await Task.yield() }
            await reader.send("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            await expectEqual(String(decoding: reader.receiveBytes().suffix(7), as: UTF8.self), "\r\n\r\nok\n")
        }
    }

    @Test func `a reader that takes too few bytes is cut off`() async throws {
        try await World.run {
            ($0.limits.byteRate, $0.limits.rateGrace) = (1_000_000_000, .milliseconds(40))
        } _: { world async throws in
            let reader = try await Self.slowReader(world)
            while await world.server.servers[0].connectionCount > 0 { await Task.yield() }
            _ = await reader.receive()
        }
    }

    @Test func `a head that comes too slowly ends its connection`() async throws {
        try await World.run {
            ($0.limits.byteRate, $0.limits.rateGrace) = (1_000_000, .milliseconds(40))
            $0.limits.headTimeout = .seconds(600)
        } _: { world async throws in
            let client = try RawClient(port: world.server.port)
            await client.send("GET /health HTTP/1.1\r\nX: ")
            await client.dripUntilEnd("y")
        }
    }

    @Test func `the connections of one address may be limited`() async throws {
        try await World.run {
            $0.limits.connectionsPerAddress = 1
        } _: { world async throws in
            let first = try RawClient(port: world.server.port)
            await expectEqual(first.status(of: Self.request), 200)
            await expectEqual((try RawClient(port: world.server.port)).receive(), "")
            await expectEqual(first.status(of: Self.request), 200)
            first.leave()
            while await world.server.servers[0].connectionCount > 0 { await Task.yield() }
            try await expectEqual(RawClient(port: world.server.port).status(of: Self.request), 200)
        }
    }

    /// A client that has asked for far more than all buffers take, and reads nothing.
    static func slowReader(_ world: World, count: Int = 900) async throws -> RawClient {
        let file = try Pictures.file(width: 400, height: 300)
        world.origin.respond(to: "/large.png", with: .ok(file, type: "image/png"))
        let path = world.path("original", of: "/large.png")
        let client = try RawClient(port: world.server.port)
        let count = min(count, 60_000_000 / file.count)
        await client.send(String(repeating: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", count: count))
        return client
    }
}
