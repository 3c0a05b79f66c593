// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// The loaders around a client, with a real origin.
@Suite(.timeLimit(.minutes(10)))
struct ResumingOriginTests {
    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 3) }

    @Test func `a connection that breaks in the middle of a body costs only the rest`() async throws {
        let origin = try OriginServer.start()
        let whole = OriginReply.ok(Self.content).entityTag("\"v1\"").servingRanges()
        origin.respond(to: "/a", inTurn: whole.truncated(after: 120_000), whole)
        let client = HTTPClient(configuration: .loopback)
        let loader = ResumingLoader(RetryingLoader(client))
        let response = try await loader.get(origin.url("/a")).collected(upTo: 1 << 20)
        let isWhole = response.bytes == Self.content
        expect(isWhole)
        expectEqual(origin.requests.map { $0.headers["Range"] }, [nil, "bytes=120000-"])
        await loader.shutdown()
        origin.stop()
    }

    @Test func `a cancelled load is resumed by the same request`() async throws {
        let origin = try OriginServer.start()
        let whole = OriginReply.ok(Self.content).entityTag("\"v1\"").servingRanges()
        let gate = OriginGate()
        origin.respond(to: "/a", inTurn: whole.held(at: gate, afterBodyBytes: 100_000), whole)
        let client = HTTPClient(configuration: .loopback)
        let loader = ResumingLoader(client)
        let request = HTTPRequest(url: origin.url("/a"))
        let reached = Gate()
        let load = Task {
            var count = 0
            for try await chunk in try await loader.send(request).body {
                count += chunk.count
                if count == 100_000 { reached.open() }
            }
        }
        await reached.pass()
        load.cancel()
        await expectError(CancellationError.self) { try await load.value }
        gate.open()
        expect((100_000..<110_000).contains(loader.store.byteCount))
        let isWhole = try await loader.bytes(request) == Self.content
        expect(isWhole)
        expectEqual(origin.requests.last?.headers["Range"], "bytes=100000-")
        await loader.shutdown()
        origin.stop()
    }

    @Test func `an answer that is of no use gives its connection away, also where a loader keeps it`() async throws {
        let large = [UInt8](repeating: 1, count: 4 << 20)
        try await withOriginServer { origin in
            for status in [206, 416, 503] {
                let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(large.count)\r\n\r\n"
                origin.respond(to: "/\(status)", inTurn: .verbatim(Array(head.utf8) + large), .ok([1]))
            }
            let other = origin.url("/other")
            origin.respond(to: "/other", with: .ok([1]))
            let client = HTTPClient(configuration: .loopback { $0.maximumConnectionsPerHost = 1 })
            let (kept, store) = (Journal<HTTPResponse>(), PartialBodyStore())
            let keeping = ClosureLoader { request in
                // No limit ends the first of two requests before the second.
                var request = request
                request.options.idleTimeout = .seconds(4_000)
                request.options.totalTimeout = .seconds(kept.count.isMultiple(of: 2) ? 4_000 : 20)
                let response = try await client.send(request)
                kept.write(response)
                return response
            }
            for status in [206, 416, 503] {
                let request = HTTPRequest(url: origin.url("/\(status)"))
                store.keep(PartialBody(validator: "\"v\"", total: 9, count: 4), for: request.resumptionKey)
                let loader: any HTTPLoading =
                    status == 503
                    ? AlternativesLoader(keeping) { _ in [other] } : ResumingLoader(keeping, store: store)
                try await expectEqual(loader.bytes(request), [1], "\(status)")
            }
            expectEqual(kept.entries.map(\.status), [206, 200, 416, 200, 503, 200])
            await client.shutdown()
        }
    }
}
