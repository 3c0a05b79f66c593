import TestSupport
import Testing
import WebImageTesting

// SPDX-License-Identifier: MIT
@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    private static func small(_ change: (inout HTTPClient.Configuration) -> Void) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        change(&configuration)
        return configuration
    }

    @Test func `An announced body beyond the limit is refused before a byte of it is read`() async throws {
        let closed = Gate()
        try await withOrigin(Self.small { $0.maximumBodyByteCount = 1_000 }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .bodyTooLarge)
            expectEqual(error?.status, 200)
            await closed.pass()
        }
    }

    @Test func `A body that grows beyond the limit ends there`() async throws {
        try await withOrigin(Self.small { $0.maximumBodyByteCount = 100_000 }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.write([UInt8](repeating: 7, count: 10_000)) {}
            exchange.close()
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            var count = 0
            let error = await #expect(throws: HTTPError.self) {
                for try await chunk in response.body { count += chunk.count }
            }
            expectEqual(error?.code, .bodyTooLarge)
            #expect(count <= 100_000)
        }
    }

    @Test(arguments: [9_000_000_000_000_000_000, Int.max]) func `a length that is only announced allocates nothing`(
        _ announced: Int
    ) async throws {
        try await withOrigin(Self.small { $0.maximumBodyByteCount = .max }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: \(announced)\r\n\r\n")
            exchange.write([UInt8](repeating: 7, count: 2_000))
            exchange.close()
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            expectEqual(response.body.expectedByteCount, announced)
            let error = await #expect(throws: HTTPError.self) { _ = try await response.body.collect(upTo: .max) }
            expectEqual(error?.code, .truncatedBody)
        }
    }

    @Test func `Collecting less than is announced cancels the transfer`() async throws {
        let closed = Gate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nabc")
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            let error = await #expect(throws: HTTPError.self) { _ = try await response.body.collect(upTo: 499) }
            expectEqual(error?.code, .bodyTooLarge)
            await closed.pass()
        }
    }

    @Test func `Too many header bytes end the transfer`() async throws {
        try await withOrigin {
            $0.respond(200, (0..<20).map { "X-\($0): " + String(repeating: "a", count: 4_000) })
        } _: {
            origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .headersTooLarge)
        }
    }

    @Test(arguments: [70_000, 90_000, 400_000]) func `One header line too long ends the transfer`(_ count: Int)
        async throws
    {
        try await withOrigin {
            $0.respond(200, ["X: " + String(repeating: "a", count: count)])
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .headersTooLarge)
        }
    }

    @Test func `Too many header fields end the transfer`() async throws {
        try await withOrigin { exchange in
            exchange.respond(200, (0..<(exchange.path == "/ok" ? 255 : 256)).map { "X-\($0): 1" })
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/ok")))
            expectEqual(response.headers.count, 256)
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/many")))
            }
            expectEqual(error?.code, .headersTooLarge)
        }
    }

    @Test func `A storm of interim answers counts as headers`() async throws {
        try await withOrigin { exchange in
            while exchange.write("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n") {}
            exchange.close()
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            expectEqual(error?.code, .headersTooLarge)
        }
    }

    @Test func `An interim answer is skipped and its headers are forgotten`() async throws {
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")
            exchange.respond(200, ["X: 1"], body: [5])
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            expectEqual(response.status, 200)
            expect(!response.headers.contains(name: "Link"))
            expectEqual(response.headers["X"], "1")
            try await expectEqual(response.body.collect(upTo: 1), [5])
        }
    }

    @Test func `No more connections in total than allowed, and the waiting are served`() async throws {
        let origins = try (0..<5).map { _ in try OriginServer.byHand { $0.respond(body: [1]) } }
        let client = HTTPClient(configuration: Self.small { $0.maximumConnections = 2 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let url = origins[index % 5].url("/\(index)")
                    let bytes = try await client.send(HTTPRequest(url: url)).body.collect(upTo: 1)
                    expectEqual(bytes, [1])
                }
            }
            try await group.waitForAll()
        }
        await client.shutdown()
        for origin in origins { origin.stop() }
    }
}
