// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Each limit admits what it names, and not one more.
///
/// The limits on time are in ``TimeoutTests``, that on the compression ratio in ``CompressionTests``, that on look-ups
/// in ``NameLookupTests``.
@Suite(.timeLimit(.minutes(10)))
struct LimitBoundaryTests {
    /// A request that needs a limit to be of some size.
    struct Demand: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The smallest limit under which the request succeeds.
        let need: Int
        /// How it fails under a smaller one.
        let code: HTTPError.Code
        let set: @Sendable (inout HTTPClient.Configuration, Int) -> Void
        let serve: @Sendable (OriginServer) -> Void
    }

    /// The bytes 1, 2, 3 as gzip.
    private static let packed: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x63, 0x64, 0x62, 6, 0, 0x1D, 0x80, 0xBC, 0x55, 3, 0, 0, 0,
    ]
    private static let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Padding: 0123456789\r\n\r\n".utf8)

    static let demands: [Demand] = [
        Demand(testDescription: "announced body", need: 3, code: .bodyTooLarge) {
            $0.maximumBodyByteCount = $1
        } serve: {
            $0.respond(to: "/", with: .ok([1, 2, 3]))
        },
        Demand(testDescription: "body in chunks", need: 3, code: .bodyTooLarge) {
            $0.maximumBodyByteCount = $1
        } serve: {
            $0.respond(to: "/", with: .ok([1, 2, 3]).chunked(byteCount: 1))
        },
        Demand(testDescription: "compressed body", need: packed.count, code: .bodyTooLarge) {
            $0.maximumBodyByteCount = $1
        } serve: {
            $0.respond(to: "/", with: .ok(packed).header("Content-Encoding", "gzip"))
        },
        Demand(testDescription: "header bytes", need: head.count, code: .headersTooLarge) {
            $0.maximumHeaderByteCount = $1
        } serve: {
            $0.respond(to: "/", with: .verbatim(head))
        },
        Demand(testDescription: "header fields", need: 5, code: .headersTooLarge) {
            $0.maximumHeaderCount = $1
        } serve: {
            $0.respond(to: "/", with: OriginReply().paddedHead(count: 4, valueByteCount: 1))
        },
        Demand(testDescription: "redirects", need: 3, code: .tooManyRedirects) {
            $0.maximumRedirects = $1
        } serve: {
            $0.redirect(along: ["/", "/1", "/2", "/3"])
            $0.respond(to: "/3", with: .status(200))
        },
    ]

    @Test(arguments: demands) func `a limit admits what it names, and refuses one more`(demand: Demand) async throws {
        try await expectNil(Self.code(of: demand, under: demand.need))
        try await expectEqual(Self.code(of: demand, under: demand.need - 1), demand.code)
    }

    private static func code(of demand: Demand, under limit: Int) async throws -> HTTPError.Code? {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        demand.serve(origin)
        var code: HTTPError.Code?
        try await withClient({ demand.set(&$0, limit) }) { client in
            do {
                let response = try await client.get(origin.url("/"))
                expectEqual(response.status, 200)
                _ = try await response.body.collect(upTo: .max)
            } catch let error as HTTPError { code = error.code }
        }
        return code
    }

    @Test(arguments: [(false, HTTPError.Code.invalidRequest), (true, .redirectNotAllowed)])
    func `a URL has as many bytes as the limit says, also that of a redirect, and not one more`(
        isRedirected: Bool, code: HTTPError.Code
    ) async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let long = origin.url("/long")
        origin.respond(to: "/", with: .redirect(to: long.absoluteString))
        origin.respond(to: "/long", with: .status(200))
        let request = HTTPRequest(url: isRedirected ? origin.url("/") : long)
        let byteCount = long.absoluteString.utf8.count
        try await Self.withClient({ $0.maximumURLByteCount = byteCount }) { client in
            try await Self.expectOK(client.send(request).status)
        }
        try await Self.withClient({ $0.maximumURLByteCount = byteCount - 1 }) { client in
            await expectHTTPError(code) { try await client.send(request) }
        }
    }

    @Test(arguments: [1, 2, 5]) func `so many requests wait for a connection, and the next one is refused`(
        limit: Int
    ) async throws {
        try await Self.withHeldOrigin {
            $0.maximumConnectionsPerHost = 1
            $0.maximumQueuedRequests = limit
        } _: { origin, gate, client in
            // Immediate tasks: each has posted its request when the next begins.
            let admitted = (0...limit).map { number in
                Task.immediate { try await client.get(origin.url("/\(number)")).status }
            }
            await expectHTTPError(.overloaded) { try await client.get(origin.url("/refused")) }
            gate.open()
            for task in admitted { try await Self.expectOK(task.value) }
            expectEqual(origin.requestCount(for: "/refused"), 0)
        }
    }

    typealias Change = @Sendable (inout HTTPClient.Configuration, Int) -> Void
    private static let widths: [String: Change] = [
        "connections of a host": { $0.maximumConnectionsPerHost = $1 },
        "connections": {
            $0.maximumConnections = $1
            $0.maximumConnectionsPerHost = 100
        },
    ]

    @Test(arguments: widths.keys.sorted(), [1, 2, 5]) func `so many connections are in use at once, and no more`(
        width: String, limit: Int
    ) async throws {
        let set = try required(Self.widths[width])
        try await Self.withHeldOrigin({ set(&$0, limit) }) { origin, gate, client in
            let tasks = (0..<2 * limit).map { number in
                Task.immediate { try await client.get(origin.url("/\(number)")).status }
            }
            await expectEqual(client.transferCount, 2 * limit)
            await gate.waitUntilReached(count: limit)
            gate.open()
            for task in tasks { try await Self.expectOK(task.value) }
            expectEqual(origin.peakOpenRequests, limit)
            expectEqual(origin.connectionCount, limit)
        }
    }

    @Test(arguments: [1, 3]) func `so many idle connections are kept`(limit: Int) async throws {
        try await Self.withHeldOrigin({ $0.maximumIdleConnections = limit }) { origin, gate, client in
            let tasks = (0..<5).map { number in
                Task.immediate { try await client.get(origin.url("/\(number)")).status }
            }
            await gate.waitUntilReached(count: 5)
            gate.open()
            for task in tasks { try await Self.expectOK(task.value) }
            await origin.waitUntilClosedByPeer(count: 5 - limit)
            expectEqual(origin.openConnections, limit)
            try await Self.expectOK(client.get(origin.url("/again")).status)
            expectEqual(origin.connectionCount, 5)
        }
    }

    @Test(arguments: [(Duration.seconds(1), 2), (.seconds(60), 1)])
    func `an idle connection is reused within its lifetime, and not afterwards`(
        lifetime: Duration, connections: Int
    ) async throws {
        // The clock is a slow reply of another origin: longer than the short lifetime, which counts in whole seconds.
        let clock = try OriginServer.start()
        defer { clock.stop() }
        clock.respond(to: "/", with: OriginReply().delayed(by: .milliseconds(2_100)))
        try await Self.withHeldOrigin({ $0.idleConnectionLifetime = lifetime }) { origin, gate, client in
            gate.open()
            try await Self.expectOK(client.get(origin.url("/1")).status)
            try await Self.expectOK(client.get(clock.url("/")).status)
            try await Self.expectOK(client.get(origin.url("/2")).status)
            expectEqual(origin.connectionCount, connections)
        }
    }

    private static func expectOK(_ status: Int, _ location: SourceLocation = #_sourceLocation) {
        #expect(status == 200, sourceLocation: location)
    }

    /// Runs a test with an origin that holds every reply at a gate.
    private static func withHeldOrigin(
        _ change: (inout HTTPClient.Configuration) -> Void,
        _ body: (OriginServer, OriginGate, HTTPClient) async throws -> Void
    ) async throws {
        let gate = OriginGate()
        let origin = try OriginServer.start()
        origin.respondToEverything { _ in OriginReply().held(at: gate) }
        defer { origin.stop() }
        try await withClient(change) { try await body(origin, gate, $0) }
    }

    /// Runs a test with a client and ends it.
    private static func withClient(
        _ change: (inout HTTPClient.Configuration) -> Void, _ body: (HTTPClient) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration.loopback
        change(&configuration)
        let client = HTTPClient(configuration: configuration)
        do {
            try await body(client)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.expectEmptyTables()
        await client.shutdown()
    }
}
