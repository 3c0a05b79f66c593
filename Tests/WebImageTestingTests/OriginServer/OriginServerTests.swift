// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct OriginServerTests {
    @Test
    func `a scripted target, path or turn is answered with its reply, and what is not scripted with 404`() throws {
        // A scripted path is answered with its reply and the connection stays open.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", with: .text("hello"))
            let client = try RawClient(origin)
            let expected =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello"
            for _ in 1...3 {
                try client.get("/a")
                expectEqual(client.read(exactly: expected.utf8.count), expected)
            }
            expect(client.isQuiet)
            expectEqual([origin.connectionCount, origin.requestCount(for: "/a")], [1, 3])
            expectEqual(origin.requests.map(\.number), [1, 2, 3])
            expectEqual(origin.requests.map(\.attempt), [1, 2, 3])
        }

        // A path that is not scripted gets 404.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            let client = try RawClient(origin)
            try client.get("/nowhere?x=1", "Connection: close")
            let (text, end) = client.readToEnd()
            // The end may be asked for in any case and among other words.
            for asked in ["Close", "keep-alive, CLOSE"] {
                let other = try RawClient(origin)
                try other.get("/nowhere?x=1", "Connection: \(asked)")
                expectEqual(other.readToEnd().end, .endOfStream, "\(asked)")
            }
            expect(text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
            expect(text.hasSuffix("Connection: close\r\n\r\nThere is nothing at /nowhere.\n"))
            expectEqual(end, .endOfStream)
        }

        // A target with a query takes precedence over its path, and the path over everything.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respondToEverything { .text("everything \($0.path)") }
            origin.respond(to: "/a", with: .text("path"))
            origin.respond(to: "/a?b=1", with: .text("target"))
            let client = try RawClient(origin)
            for (target, body) in [("/a?b=1", "target"), ("/a?b=2", "path"), ("/a", "path"), ("/c", "everything /c")] {
                try client.get(target)
                _ = client.readHead()
                expectEqual(client.read(exactly: body.utf8.count), body)
            }
            expectEqual(origin.requests.map(\.query), ["b=1", "b=2", nil, nil])
            expectEqual(origin.requestCount(for: "/a"), 3)
        }

        // Replies in turn continue with the last one.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", inTurn: .status(503), .status(500), .status(204))
            let client = try RawClient(origin)
            let statuses = try (1...4).map { _ in
                try client.get("/a")
                return client.readHead().split(separator: " ")[1]
            }
            expectEqual(statuses, ["503", "500", "204", "204"])
        }
    }

    @Test func `pipelined requests are answered in their order`() throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        origin.respondToEverything { OriginReply(body: Array($0.path.utf8)) }
        let client = try RawClient(origin)
        try client.send(
            (1...50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
                + "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let (text, end) = client.readToEnd()
        let bodies = text.split(separator: "HTTP/1.1 200 OK\r\n").map { $0.split(separator: "\r\n").last }
        expectEqual(bodies, (1...50).map { "/\($0)" } + ["/last"])
        expectEqual(end, .endOfStream)
    }

    @Test func `a held reply is open until its gate is, and a peer that closes meanwhile is noticed`() async throws {
        // A held reply is open until its gate is.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            let gate = OriginGate()
            origin.respond(to: "/a", with: .text("late").held(at: gate))
            let clients = try (1...5).map { _ in try RawClient(origin) }
            for client in clients { try client.get("/a") }
            await expect(gate.waitUntilReached(count: 5))
            for client in clients { expect(client.isQuiet) }
            expectEqual([origin.openRequests, origin.openConnections], [5, 5])
            gate.open()
            for client in clients {
                _ = client.readHead()
                expectEqual(client.read(exactly: 4), "late")
            }
            expectEqual([origin.openRequests, origin.peakOpenRequests], [0, 5])
            // One that passes the open gate has reached it, too.
            try clients[0].get("/a")
            _ = clients[0].readHead()
            expectEqual(gate.reachedCount, 6)
        }

        // A peer that closes while its reply is held is noticed.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            let gate = OriginGate()
            origin.respond(to: "/held", with: .text("late").held(at: gate))
            origin.respond(to: "/delayed", with: .text("late").delayed(by: .seconds(3600)))
            origin.respond(to: "/silent", with: .silence)
            let clients = try ["/held", "/delayed", "/silent"].map { path in
                let client = try RawClient(origin)
                try client.get(path)
                return client
            }
            await expect(origin.waitForRequests(count: 3))
            for client in clients { client.close() }
            await expect(origin.waitUntilClosedByPeer(count: 3))
            expectEqual(origin.openConnections, 0)
            expect(!gate.isOpen)
        }
    }

    @Test
    func `stopping ends held, delayed and idle connections, and closing them leaves the server running`() async throws {
        // Stopping ends held, delayed and idle connections.
        let origin = try OriginServer.start()
        origin.respond(to: "/held", with: .text("late").held(at: OriginGate()))
        origin.respond(to: "/delayed", with: .text("late").delayed(by: .seconds(3600)))
        origin.respond(to: "/silent", with: .silence)
        let idle = try RawClient(origin)
        let clients = try ["/held", "/delayed", "/silent"].map { path in
            let client = try RawClient(origin)
            try client.get(path)
            return client
        }
        await expect(origin.waitForRequests(count: 3))
        async let inVain = origin.waitForRequests(count: 4)
        origin.stop()
        await expectEqual(inVain, false)
        for client in clients + [idle] { expectEmpty(client.readToEnd().text) }
        expectEqual([origin.closedByPeer, origin.openConnections], [0, 0])
        origin.stop()

        // Closing the connections leaves the server running.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", with: .silence)
            let first = try RawClient(origin)
            try first.get("/a")
            await expect(origin.waitForRequests(count: 1, for: "/a"))
            origin.closeConnections()
            expectEmpty(first.readToEnd().text)
            let second = try RawClient(origin)
            try second.get("/b")
            expect(second.readHead().hasPrefix("HTTP/1.1 404"))
            expectEqual(origin.closedByPeer, 0)
        }
    }

    @Test(.enabled(if: Curl.canRun && FileManager.default.fileExists(atPath: "/proc/net/if_inet6")))
    func `the server listens on IPv6 on the same port on request`() throws {
        var configuration = OriginServer.Configuration()
        configuration.listensOnIPv6 = true
        let origin = try OriginServer.start(configuration: configuration)
        defer { origin.stop() }
        origin.respond(to: "/a", with: .text("six"))
        try expectEqual(Curl.run("--globoff", origin.url("/a", host: "::1").absoluteString).output, "six")
        try expectEqual(Curl.run(origin.url("/a").absoluteString).output, "six")
    }
}
