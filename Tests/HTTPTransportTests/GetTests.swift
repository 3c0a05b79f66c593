// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct GetTests {
    @Test func `A body arrives whole with status, headers and metrics`() async throws {
        let picture = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try await withOrigin {
            $0.respond(200, ["ETag: \"a\"", "X-Twice: 1", "x-twice: 2"], body: picture)
        } _: {
            origin, client in
            let response = try await client.get(origin.url("/picture"))
            expectEqual(response.status, 200)
            expectEqual(response.headers["etag"], "\"a\"")
            expectEqual(response.headers["X-Twice"], "1, 2")
            expectEqual(response.body.expectedByteCount, picture.count)
            try await expectEqual(response.body.collect(upTo: 1 << 20), picture)
            let metrics = response.metrics
            expectEqual(metrics.bytesReceived, picture.count)
            expect(metrics.total != nil)
            expectEqual(metrics.httpVersion, "1.1")
            expectEqual(metrics.remoteAddress, "127.0.0.1")
            expect(!metrics.reusedConnection)
            expectEqual(metrics.redirectCount, 0)
        }
    }

    @Test func `A second request reuses the connection`() async throws {
        try await withOrigin(handler: { $0.respond(body: [1, 2, 3]) }) { origin, client in
            for index in 0..<5 {
                let response = try await client.get(origin.url("/\(index)"))
                try await expectEqual(response.body.collect(upTo: 3), [1, 2, 3])
                expectEqual(response.metrics.reusedConnection, (index > 0))
            }
            expectEqual(origin.connectionCount, 1)
        }
    }

    @Test func `A body of unknown length streams in chunks`() async throws {
        try await withOrigin {
            $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            $0.write("2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            expectNil(response.body.expectedByteCount)
            var bytes: [UInt8] = []
            for try await chunk in response.body {
                expect(!chunk.isEmpty)
                bytes += chunk
            }
            expectEqual(bytes, Array("abcde".utf8))
            expect(!response.headers.contains(name: "X-Trailer"))
        }
    }
}
