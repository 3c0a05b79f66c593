// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct OriginReplyTests {
    private let digits = OriginReply(body: Array("0123456789".utf8))

    @Test(arguments: [204, 304])
    func `a reply is its status line, fields, length and body, unless its status has none`(status: Int) throws {
        // A status without a body has neither length nor body.
        do {
            let (text, _) = try exchange(OriginReply(status: status, body: [0x78]), close: true)
            expectEmpty(parts(text).body)
            expect(!text.contains("Content-Length"))
        }

        // A reply is its status line, its fields in order, its length and its body.
        var reply = OriginReply(status: 299, headers: ["B": "1", "a": "2", "B": "3"], body: [0x78])
        reply.reason = "Odd"
        let (text, end) = try exchange(reply.closing())
        expectEqual(text, "HTTP/1.1 299 Odd\r\nB: 1\r\na: 2\r\nB: 3\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
        expectEqual(end, .endOfStream)

        // An unannounced close says nothing in the head.
        do {
            let (text, end) = try exchange(digits.closing(announced: false))
            expectEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")
            expectEqual(end, .endOfStream)
        }

        // HEAD gets the head of the reply and no body.
        do {
            let (text, _) = try exchange(digits, method: "HEAD", close: true)
            expectEqual(text, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n")
        }
    }

    @Test
    func `a large body arrives whole in every framing, in chunks or drops, and a client of HTTP 1.0 gets no chunks`()
        throws
    {
        // A body of a megabyte arrives whole in every framing.
        do {
            let bytes = (0..<1_000_003).map { UInt8(97 + $0 % 26) }
            let text = String(decoding: bytes, as: UTF8.self)
            let plain = try exchange(.ok(bytes), close: true)
            expectEqual(parts(plain.text).body, text)
            let open = try exchange(.ok(bytes).untilClose())
            expectEqual(parts(open.text).body, text)
            expect(!open.text.contains("Content-Length"))
            let chunked = try exchange(.ok(bytes).chunked(byteCount: 2_000_000), close: true)
            expectEqual(parts(chunked.text).body, "f4243\r\n\(text)\r\n0\r\n\r\n")
        }

        // The chunked coding cuts the body and ends it with trailers.
        do {
            let (text, _) = try exchange(digits.chunked(byteCount: 4, trailers: ["T": "1"]), close: true)
            let (head, body) = parts(text)
            expectEqual(head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close")
            expectEqual(body, "4\r\n0123\r\n4\r\n4567\r\n2\r\n89\r\n0\r\nT: 1\r\n\r\n")
        }

        // A client of HTTP 1.0 gets no chunks and the end of the connection.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", with: digits.chunked())
            let client = try RawClient(origin)
            try client.send("GET /a HTTP/1.0\r\n\r\n")
            let (text, end) = client.readToEnd()
            expectEqual(text, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789")
            expectEqual(end, .endOfStream)
        }

        // A dripping body is sent in pieces, one chunk each.
        let (text, _) = try exchange(digits.chunked().dripping(byteCount: 3, every: .microseconds(1)), close: true)
        expectEqual(parts(text).body, "3\r\n012\r\n3\r\n345\r\n3\r\n678\r\n1\r\n9\r\n0\r\n\r\n")
        // Behind the last piece there is no pause.
        let drop = try exchange(digits.dripping(byteCount: 10, every: .seconds(3600)), close: true)
        expectEqual(parts(drop.text).body, "0123456789")
    }

    @Test
    func `a reply waits for delays and gates at any place, and a peer that leaves meanwhile is noticed`() async throws {
        // Gates hold a body at any place.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            let gates = [OriginGate(), OriginGate(), OriginGate()]
            origin.respond(
                to: "/a",
                with: digits.held(at: gates[1], afterBodyBytes: 4).held(at: gates[0], afterBodyBytes: 0)
                    .held(at: gates[2], afterBodyBytes: 99))
            let client = try RawClient(origin)
            try client.get("/a", "Connection: close")
            await expect(gates[0].waitUntilReached())
            expect(client.readHead().hasSuffix("Content-Length: 10\r\nConnection: close\r\n\r\n"))
            expect(client.isQuiet)
            gates[0].open()
            await expect(gates[1].waitUntilReached())
            expectEqual(client.read(exactly: 4), "0123")
            expect(client.isQuiet)
            gates[1].open()
            await expect(gates[2].waitUntilReached())
            expectEqual(client.read(exactly: 6), "456789")
            expect(client.isQuiet)
            expectEqual(origin.openRequests, 1)
            gates[2].open()
            expectEqual(client.readToEnd().end, .endOfStream)
        }

        // A delayed reply comes after its delay.
        do {
            let (text, _) = try exchange(digits.delayed(by: .milliseconds(1)), close: true)
            expectEqual(parts(text).body, "0123456789")
        }

        // Nothing is sent between two pieces, and a peer that leaves is noticed.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respond(to: "/a", with: digits.dripping(byteCount: 3, every: .seconds(3600)))
            let client = try RawClient(origin)
            try client.get("/a")
            _ = client.readHead()
            expectEqual(client.read(exactly: 3), "012")
            expect(client.isQuiet)
            client.close()
            await expect(origin.waitUntilClosedByPeer(count: 1))
        }
    }

    @Test func `a chain of redirects leads along its paths, and a loop back to its beginning`() throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        origin.redirect(along: ["/1", "/2", "/3", "/1"], status: 307)
        let client = try RawClient(origin)
        for (path, next) in [("/1", "/2"), ("/2", "/3"), ("/3", "/1")] {
            try client.get(path)
            expectEqual(
                client.readHead(), "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(next)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test func `the test chooses every field: interim responses, padding, content codings and injected lines`() throws {
        // Interim responses go before the reply.
        let reply = digits.interim(status: 103, headers: ["Link": "</a>"], count: 200).interim(status: 102)
        let (text, _) = try exchange(reply, close: true)
        let storm = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 200)
        expect(text.hasPrefix(storm + "HTTP/1.1 102 Status\r\n\r\nHTTP/1.1 200 OK\r\n"))
        expect(text.hasSuffix("\r\n\r\n0123456789"))

        // A padded head has fields of the given number and size.
        do {
            let (text, _) = try exchange(digits.paddedHead(count: 300, valueByteCount: 1000), close: true)
            let fields = parts(text).head.split(separator: "\r\n").filter { $0.hasPrefix("X-Padding-") }
            expectEqual(fields.count, 300)
            expectEqual(fields.last.map { String($0) }, "X-Padding-300: " + String(repeating: "x", count: 1000))
        }

        // Line breaks in a value inject a field.
        do {
            let (text, _) = try exchange(digits.header("X", "1\r\nSet-Cookie: a=b"), close: true)
            expect(text.contains("\r\nX: 1\r\nSet-Cookie: a=b\r\n"))
        }

        // A length, a coding and an end that the test has set stay the only ones.
        do {
            let (text, _) = try exchange(
                digits.header("Content-Length", "10").header("Connection", "Close"), close: true)
            expectEqual(parts(text).head, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: Close")
            let chunked = try exchange(digits.header("Transfer-Encoding", "Chunked").chunked().closing())
            expectEqual(parts(chunked.text).head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nConnection: close")
        }

        // The test applies a content coding itself.
        do {
            let (text, _) = try exchange(digits.header("Content-Encoding", "gzip"), close: true)
            expect(text.contains("\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n"))
            expectEqual(parts(text).body, "0123456789")
        }
    }
}
