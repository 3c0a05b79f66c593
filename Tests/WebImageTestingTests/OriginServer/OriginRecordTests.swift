// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct OriginRecordTests {
    @Test
    func `waiting for requests ends with the last of them, or returns false when it is cancelled or after the stop`()
        async throws
    {
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            async let all = origin.waitForRequests(count: 3)
            async let some = origin.waitForRequests(count: 2, for: "/a")
            let client = try RawClient(origin)
            for path in ["/a", "/b", "/a"] { try client.get(path) }
            await expect(all)
            await expect(some)
            await expect(origin.waitForRequests(count: 2, for: "/a"))
            expectEqual([origin.requestCount, origin.requestCount(for: "/b")], [3, 1])
            expectEqual(origin.requestCount(for: "/c"), 0)
        }

        // A cancelled wait returns false.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            let task = Task { await origin.waitForRequests(count: 1) }
            task.cancel()
            await expectEqual(task.value, false)
            let gate = OriginGate()
            let late = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await gate.waitUntilReached()
            }
            await expectEqual(late.value, false)
        }

        // A wait after the stop returns false.
        let origin = try OriginServer.start()
        origin.stop()
        await expectEqual(origin.waitForRequests(count: 1), false)
        await expectEqual(origin.waitForRequests(count: 1, for: "/a"), false)
        await expectEqual(origin.waitUntilClosedByPeer(count: 1), false)
    }

    @Test func `requests beyond the limit are counted and not kept`() throws {
        var configuration = OriginServer.Configuration()
        configuration.maximumRecordedRequestCount = 2
        let origin = try OriginServer.start(configuration: configuration)
        defer { origin.stop() }
        let client = try RawClient(origin)
        for path in ["/a", "/b", "/c", "/a"] {
            try client.get(path, method: "HEAD")
            _ = client.readHead()
        }
        expectEqual(origin.requests.map(\.path), ["/a", "/b"])
        expectEqual([origin.requestCount, origin.requestCount(for: "/a")], [4, 2])
    }

    @Test func `a client that waits for each reply is never seen with two requests`() throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        origin.respondToEverything { _ in OriginReply(body: [UInt8](repeating: 0x78, count: 200_000)) }
        let clients = try (1...2).map { _ in try RawClient(origin) }
        for round in 0..<200 {
            let client = clients[round % 2]
            try client.get("/a")
            _ = client.readHead()
            expectEqual(client.read(exactly: 200_000).utf8.count, 200_000)
        }
        expectEqual([origin.peakOpenRequests, origin.requests.map(\.connection).max()], [1, 2])
        origin.stop()
        expectEqual([origin.openRequests, origin.bodyBytesSent], [0, 200 * 200_000])
    }

    @Test func `a connection closed between two requests is closed by the peer`() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let clients = try (1...3).map { _ in try RawClient(origin) }
        try clients[0].get("/a", method: "HEAD")
        _ = clients[0].readHead()
        try clients[1].send("GET / HT")
        for client in clients { client.close() }
        await expect(origin.waitUntilClosedByPeer(count: 3))
        expectEqual([origin.openConnections, origin.connectionCount], [0, 3])
    }

    private final class Held: Sendable {}

    @Test func `the stop of a server drops its handlers, and what they hold`() throws {
        let origin = try OriginServer.start()
        weak var held: Held?
        do {
            let object = Held()
            held = object
            origin.respond(to: "/a") { [object] _ in .text("\(object)") }
            origin.respondToEverything { [object] _ in .text("\(object)") }
        }
        expect(held != nil)
        origin.stop()
        expectNil(held)
    }

    @Test func `a gate that is opened again closes nothing of others`() async throws {
        let (origin, gate) = (try OriginServer.start(), OriginGate())
        defer { origin.stop() }
        origin.respond(to: "/a", with: .text("x").held(at: gate))
        let client = try RawClient(origin)
        try client.get("/a")
        await gate.waitUntilReached()
        gate.open()
        // The descriptors that are free now, that of the gate among them.
        let files = (0..<8).map { _ in unsafe open("/dev/null", O_RDONLY) }
        defer { for file in files { close(file) } }
        gate.open()
        for file in files { expect(fcntl(file, F_GETFD), >=, 0) }
        // A reply that finds it open has reached it, too.
        for _ in 0..<2 {
            _ = client.readHead()
            expectEqual(client.read(exactly: 1), "x")
            if gate.reachedCount < 2 { try client.get("/a") }
        }
        expectEqual(gate.reachedCount, 2)
    }

    @Test
    func `URLs carry scheme, port and host, and the scope stops its server whether it returns or throws`()
        async throws
    {
        // URLs carry scheme, port and host.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            expectEqual(origin.url("/a?b=c").absoluteString, "http://127.0.0.1:\(origin.port)/a?b=c")
            expectEqual(origin.url("/a", host: "::1").absoluteString, "http://[::1]:\(origin.port)/a")
            expectEqual(origin.url("/a b", host: "localhost").absoluteString, "http://localhost:\(origin.port)/a%20b")
            // A port is one server's.
            var taken = OriginServer.Configuration()
            taken.port = UInt16(origin.port)
            let error = try required(expectError(OriginError.self) { try OriginServer.start(configuration: taken) })
            expectAll(error.code == .system, error.errorNumber == EADDRINUSE)
            expectEqual(error.description, "system: \(error.message) (errno \(EADDRINUSE))")
        }

        // The scope stops its server whether it returns or throws.
        struct Failure: Error {}
        var kept: OriginServer?
        await expectError(Failure.self) {
            try await withOriginServer { origin in
                kept = origin
                throw Failure()
            }
        }
        await expectEqual(kept?.waitForRequests(count: 1), false)
    }
}
