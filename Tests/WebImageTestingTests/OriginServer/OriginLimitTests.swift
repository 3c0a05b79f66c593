// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

/// What a server does with more clients than it may have, and with slow ones.
@Suite(.timeLimit(.minutes(10)))
struct OriginLimitTests {
    private static func start(
        _ change: (inout OriginServer.Configuration) -> Void
    ) throws -> OriginServer {
        var configuration = OriginServer.Configuration()
        change(&configuration)
        return try OriginServer.start(configuration: configuration)
    }

    @Test
    func `at the limit the connection that has idled longest gives way, and a busy one only if it reads nothing`()
        async throws
    {
        // At the limit the connection that has idled longest gives way, and a busy one stays.
        do {
            let origin = try Self.start { $0.maximumConnectionCount = 3 }
            defer { origin.stop() }
            let gate = OriginGate()
            origin.respond(to: "/held", with: .text("late").held(at: gate))
            origin.respond(to: "/a", with: .text("now"))
            let (busy, silent, halting) = (try RawClient(origin), try RawClient(origin), try RawClient(origin))
            try busy.get("/held")
            await gate.waitUntilReached()
            try halting.send("GET /a HTTP/1.1\r\nHost: a\r\n")
            while origin.openConnections < 3 { await Task.yield() }
            var clients: [RawClient] = []
            for idle in [silent, halting] {
                let client = try RawClient(origin)
                try client.get("/a")
                expect(client.readHead().hasPrefix("HTTP/1.1 200 "))
                expectEqual(client.read(exactly: 3), "now")
                expectEmpty(idle.readToEnd().text)
                expect(origin.openConnections, <=, 6)
                clients.append(client)
            }
            gate.open()
            expect(busy.readHead().hasPrefix("HTTP/1.1 200 "))
            expectEqual(origin.closedByPeer, 0)
        }

        // At the limit a client that reads nothing gives way when none is idle.
        do {
            // One may always come.
            let origin = try Self.start { $0.maximumConnectionCount = 0 }
            defer { origin.stop() }
            origin.respond(to: "/endless", with: OriginReply(body: [1]).endless())
            origin.respond(to: "/a", with: .text("now"))
            let reader = try RawClient(origin)
            try reader.get("/endless")
            await expect(origin.waitForRequests(count: 1))
            let client = try RawClient(origin)
            try client.get("/a")
            expect(client.readHead().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(arguments: [
        "", "GET /a HTTP/1.1\r\n", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234",
        "GET /a HTTP/1.1\r\nHost: a\r\n\r\nG",
    ]) func `a request that does not come in time ends its connection, and a slow reply does not`(
        beginning: String
    ) async throws {
        let origin = try Self.start { $0.requestTimeout = .milliseconds(100) }
        defer { origin.stop() }
        let gate = OriginGate()
        origin.respond(to: "/held", with: .text("late").held(at: gate))
        let (busy, slow) = (try RawClient(origin), try RawClient(origin))
        try busy.get("/held")
        await gate.waitUntilReached()
        try slow.send(beginning)
        expectEqual(slow.readToEnd().text.isEmpty, !beginning.hasSuffix("G"))
        gate.open()
        expect(busy.readHead().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `a reply that is not sent or not taken in time ends its connection, and an idle one stays`() async throws
    {
        let origin = try Self.start { $0.replyTimeout = .milliseconds(500) }
        defer { origin.stop() }
        origin.respond(to: "/held", with: .text("never").held(at: OriginGate()))
        origin.respond(to: "/endless", with: OriginReply(body: [1]).endless())
        origin.respond(to: "/a", with: .text("now"))
        let (idle, waiting, reader) = (try RawClient(origin), try RawClient(origin), try RawClient(origin))
        try idle.get("/a")
        expect(idle.readHead().hasPrefix("HTTP/1.1 200 "))
        expectEqual(idle.read(exactly: 3), "now")
        try waiting.get("/held")
        expectEmpty(waiting.readToEnd().text)
        try reader.get("/endless")
        while origin.openConnections > 1 { await Task.yield() }
        try idle.get("/a")
        expect(idle.readHead().hasPrefix("HTTP/1.1 200 "))
        expectEqual(origin.closedByPeer, 0)
    }
}
