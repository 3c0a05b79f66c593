// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct OriginQuirkTests {
    private let digits = OriginReply(body: Array("0123456789".utf8))

    @Test(arguments: ["20", "4", "-1", "ten", "99999999999999999999"])
    func `a claimed length, or two of them, is in the head, also beside the chunked coding, and the true body follows`(
        length: String
    ) throws {
        // A claimed length is in the head and the true body follows.
        let (text, end) = try exchange(digits.claimingLength(length))
        expectEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n0123456789")
        expectEqual(end, .endOfStream)

        // Two lengths are two fields.
        do {
            let (text, _) = try exchange(digits.claimingLength("10", "4"))
            expectEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 4\r\n\r\n0123456789")
        }

        // A length and the chunked coding go together on request.
        do {
            let (text, _) = try exchange(digits.claimingLength("4").chunked())
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
            expectEqual(text, head + "a\r\n0123456789\r\n0\r\n\r\n")
        }
    }

    @Test
    func `a body is cut short or reset, and a reply replaced by a reset, an end, garbage or other bytes`() throws {
        // A truncated body ends early and in order.
        let (text, end) = try exchange(digits.truncated(after: 4))
        expectEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123")
        expectEqual(end, .endOfStream)

        // A chunk is cut short, or the last one is missing.
        let short = try exchange(digits.chunked(byteCount: 8).truncated(after: 5))
        expectEqual(parts(short.text).body, "8\r\n01234")
        expectEqual(short.end, .endOfStream)
        let second = try exchange(digits.chunked(byteCount: 4).truncated(after: 6))
        expectEqual(parts(second.text).body, "4\r\n0123\r\n4\r\n45")
        let missing = try exchange(digits.chunked(byteCount: 4).truncated(after: 8))
        expectEqual(parts(missing.text).body, "4\r\n0123\r\n4\r\n4567\r\n")
        expectEqual(missing.end, .endOfStream)

        // A reset inside the body is a reset for the peer.
        do {
            let (text, end) = try exchange(digits.reset(after: 4))
            expect("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123".hasPrefix(text))
            expectEqual(end, .reset)
        }

        // A reset in place of a reply is a reset for the peer.
        do {
            let (text, end) = try exchange(.reset)
            expectEmpty(text)
            expectEqual(end, .reset)
        }

        // A server that hangs up sends nothing and ends in order.
        do {
            let (text, end) = try exchange(.hangUp)
            expectEmpty(text)
            expectEqual(end, .endOfStream)
        }

        // Garbage and other bytes replace a reply.
        let garbage = try exchange(.garbage)
        expectEqual(garbage.text, "\u{0}\u{1}\u{2}garbage\r\n\r\n")
        expectEqual(garbage.end, .endOfStream)
        try expectEqual(exchange(.verbatim(Array("HTTP/1.1 200 OK\r\nConte".utf8))).text, "HTTP/1.1 200 OK\r\nConte")
    }

    @Test
    func `a stalled body leaves the connection open, and an endless one repeats until the peer leaves`() async throws {
        // A stalled body leaves the connection open.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", with: digits.stalled(after: 4))
            let client = try RawClient(origin)
            try client.get("/a")
            _ = client.readHead()
            expectEqual(client.read(exactly: 4), "0123")
            expect(client.isQuiet)
            expectEqual(origin.openRequests, 1)
            client.close()
            await expect(origin.waitUntilClosedByPeer(count: 1))
            expectEqual(origin.openRequests, 0)
        }

        // An endless body repeats until the peer leaves.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", with: digits.endless())
            let client = try RawClient(origin)
            try client.get("/a")
            expectEqual(client.readHead(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            expectEqual(client.read(exactly: 200_000), String(repeating: "0123456789", count: 20_000))
            client.close()
            await expect(origin.waitUntilClosedByPeer(count: 1))
            // A piece counts when the system has taken all of it.
            expect(origin.bodyBytesSent, >=, 200_000 - 65_536)
        }

        // An endless body may claim a length or come in chunks.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/length", with: OriginReply().endless().claimingLength("17179869184"))
            origin.respond(to: "/chunks", with: digits.endless().chunked(byteCount: 5))
            let first = try RawClient(origin)
            try first.get("/length")
            expectEqual(first.readHead(), "HTTP/1.1 200 OK\r\nContent-Length: 17179869184\r\n\r\n")
            expectEqual(first.read(exactly: 3), "\u{0}\u{0}\u{0}")
            let second = try RawClient(origin)
            try second.get("/chunks")
            _ = second.readHead()
            expectEqual(second.read(exactly: 30), "5\r\n01234\r\n5\r\n56789\r\n5\r\n01234\r\n")
        }
    }

    @Test func `a connection gate holds a connection before anything is read`() async throws {
        var configuration = OriginServer.Configuration()
        let gate = OriginGate()
        configuration.connectionGate = gate
        let origin = try OriginServer.start(configuration: configuration)
        defer { origin.stop() }
        origin.respond(to: "/a", with: digits)
        let client = try RawClient(origin)
        try client.get("/a", "Connection: close")
        await expect(gate.waitUntilReached())
        expectEqual(origin.requestCount, 0)
        gate.open()
        expect(client.readToEnd().text.hasSuffix("0123456789"))
    }
}
