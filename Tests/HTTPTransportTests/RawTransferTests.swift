// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// What a proxy needs from the client: bodies as they are on the wire, and interim responses.
@Suite(.timeLimit(.minutes(10)))
struct RawTransferTests {
    @Test(arguments: ["gzip", "br", "gzip, br", "identity"])
    func `a body that is not to be decoded arrives as it is on the wire`(coding: String) async throws {
        let body: [UInt8] = [0x1F, 0x8B, 1, 2, 3]
        try await withOrigin { exchange in
            exchange.respond(200, ["Content-Encoding: \(coding)"], body: body)
        } _: { origin, client in
            var request = HTTPRequest(url: origin.url("/"))
            request.options.decodesContent = false
            let response = try await client.send(request)
            expectEqual(response.headers["Content-Encoding"], coding)
            expectEqual(response.body.expectedByteCount, body.count)
            try await expectEqual(response.body.collect(upTo: 100), body)
            expectNil(origin.requests.first?.headers["Accept-Encoding"])
        }
    }

    @Test func `a body that is not decoded is held to the limit and to its length`() async throws {
        try await withOriginServer { origin in
            let coded: HTTPHeaders = ["Content-Encoding": "br"]
            origin.respond(to: "/cut", with: OriginReply(headers: coded, body: [1, 2, 3, 4]).truncated(after: 2))
            origin.respond(to: "/long", with: OriginReply(headers: coded, body: [UInt8](repeating: 1, count: 101)))
            let client = HTTPClient(configuration: .loopback)
            for (path, code) in [("/cut", HTTPError.Code.truncatedBody), ("/long", .bodyTooLarge)] {
                var request = HTTPRequest(url: origin.url(path))
                request.options.decodesContent = false
                request.options.maximumBodyByteCount = 100
                await expectHTTPError(code) { try await client.send(request).body.collect(upTo: 1_000) }
            }
            await client.shutdown()
        }
    }

    @Test func `interim responses are kept in order, apart from the final one`() async throws {
        try await withOriginServer { origin in
            let reply = OriginReply.ok([5]).header("X", "1").interim(status: 102).interim(
                headers: ["Link": "<a>", "link": "<b>"], count: 2)
            origin.respond(to: "/", with: reply)
            let client = HTTPClient(configuration: .loopback)
            let response = try await client.get(origin.url("/"))
            expectEqual(response.interimResponses.map(\.status), [102, 103, 103])
            expectEqual(response.interimResponses.map(\.headers.count), [0, 2, 2])
            expectEqual(response.interimResponses.last?.headers["Link"], "<a>, <b>")
            expectEqual(response.status, 200)
            expect(!response.headers.contains(name: "Link"))
            expectEqual(response.headers["X"], "1")
            try await expectEqual(response.body.collect(upTo: 1), [5])
            await client.shutdown()
        }
    }

    @Test func `a response without content has none, whatever its fields announce`() async throws {
        try await withOrigin { exchange in
            let status = Int(exchange.path.dropFirst()) ?? 200
            exchange.write("HTTP/1.1 \(status) X\r\nContent-Length: 9\r\nContent-Encoding: br\r\n\r\n")
            if status == 204 || status == 304 { exchange.close() }
        } _: { origin, client in
            for (method, path) in [("HEAD", "/200"), ("GET", "/204"), ("GET", "/304"), ("HEAD", "/404")] {
                let response = try await client.send(HTTPRequest(url: origin.url(path), method: method))
                expectEqual(response.body.expectedByteCount, 0, "\(path)")
                try await expectEqual(response.body.collect(upTo: 0), [], "\(path)")
                expectEqual(response.headers["Content-Length"], "9")
            }
        }
    }

    @Test func `chunks have no announced length, and an old version is told`() async throws {
        try await withOrigin { exchange in
            if exchange.path == "/old" {
                exchange.write("HTTP/1.0 200 X\r\nContent-Length: 1\r\n\r\na")
            } else {
                // In one piece, so that the fields behind the body are there before the caller has the head.
                let head = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n"
                exchange.write(head + "1\r\na\r\n0\r\nX-Trailer: 1\r\n\r\n")
            }
            exchange.close()
        } _: { origin, client in
            for (path, length, version) in [("/old", 1, "1.0"), ("/chunks", nil, "1.1")] as [(String, Int?, String)] {
                let response = try await client.get(origin.url(path))
                expectEqual(response.body.expectedByteCount, length)
                try await expectEqual(response.body.collect(upTo: 1), [97])
                expectEqual(response.metrics.httpVersion, version)
                expect(!response.headers.contains(name: "X-Trailer"))
            }
        }
    }

    @Test func `a switch to another protocol is refused at once`() async throws {
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n")
            exchange.waitForClose()
        } _: { origin, client in
            await expectHTTPError(.invalidResponse) { try await client.get(origin.url("/")) }
        }
    }
}
