// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    @Test func `An announced body beyond the limit is refused before a byte of it is read`() async throws {
        let closed = Gate()
        try await withOrigin(.loopback { $0.maximumBodyByteCount = 1_000 }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let error = await expectHTTPError(.bodyTooLarge) { try await client.get(origin.url("/")) }
            expectEqual(error?.status, 200)
            await closed.pass()
        }
    }

    @Test func `A body that grows beyond the limit ends there`() async throws {
        try await withOrigin(.loopback { $0.maximumBodyByteCount = 100_000 }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.write([UInt8](repeating: 7, count: 10_000)) {}
            exchange.close()
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            var count = 0
            await expectHTTPError(.bodyTooLarge) { for try await chunk in response.body { count += chunk.count } }
            expect(count, <=, 100_000)
        }
    }

    @Test(arguments: [9_000_000_000_000_000_000, Int.max]) func `a length that is only announced allocates nothing`(
        _ announced: Int
    ) async throws {
        try await withOrigin(.loopback { $0.maximumBodyByteCount = .max }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: \(announced)\r\n\r\n")
            exchange.write([UInt8](repeating: 7, count: 2_000))
            exchange.close()
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            expectEqual(response.body.expectedByteCount, announced)
            await expectHTTPError(.truncatedBody) { try await response.body.collect(upTo: .max) }
        }
    }

    @Test func `Collecting less than is announced cancels the transfer`() async throws {
        let closed = Gate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nabc")
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            await expectHTTPError(.bodyTooLarge) { try await response.body.collect(upTo: 499) }
            await closed.pass()
        }
    }

    @Test func `too many header bytes, a line too long and too many fields end the transfer`() async throws {
        let lines = [70_000, 90_000, 400_000].map { ["X: " + String(repeating: "a", count: $0)] }
        let many = (0..<20).map { "X-\($0): " + String(repeating: "a", count: 4_000) }
        let heads = lines + [many, (0..<256).map { "X-\($0): 1" }]
        try await withOrigin { exchange in
            if exchange.path == "/ok" { return exchange.respond(200, (0..<255).map { "X-\($0): 1" }) }
            if let row = Int(exchange.path.dropFirst()) { return exchange.respond(200, heads[row]) }
            // A storm of interim answers counts as headers.
            while exchange.write("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n") {}
            exchange.close()
        } _: { origin, client in
            try await expectEqual(client.get(origin.url("/ok")).headers.count, 256)
            for path in heads.indices.map({ "/\($0)" }) + ["/storm"] {
                await expectHTTPError(.headersTooLarge, "\(path)") { try await client.get(origin.url(path)) }
            }
        }
    }

    @Test func `No more connections in total than allowed, and the waiting are served`() async throws {
        let origins = try (0..<5).map { _ in try OriginServer.byHand { $0.respond(body: [1]) } }
        let client = HTTPClient(configuration: .loopback { $0.maximumConnections = 2 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let url = origins[index % 5].url("/\(index)")
                    let bytes = try await client.get(url).body.collect(upTo: 1)
                    expectEqual(bytes, [1])
                }
            }
            try await group.waitForAll()
        }
        await client.shutdown()
        for origin in origins { origin.stop() }
    }
}
