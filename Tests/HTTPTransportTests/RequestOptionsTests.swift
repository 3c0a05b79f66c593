// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// The limits of one request; its policies are in `RequestPolicyTests`.
@Suite(.timeLimit(.minutes(10)))
struct RequestOptionsTests {
    private static func client(
        idle: Duration = .seconds(30), total: Duration = .seconds(50), body: Int = 64 << 20
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        configuration.idleTimeout = idle
        configuration.totalTimeout = total
        configuration.maximumBodyByteCount = body
        return configuration
    }

    private static func request(
        _ origin: OriginServer, _ change: (inout HTTPRequest.Options) -> Void
    ) -> HTTPRequest {
        var request = HTTPRequest(url: origin.url("/"))
        change(&request.options)
        return request
    }

    /// A byte every 10 ms.
    private static func drip(_ exchange: TestExchange, count: Int) {
        exchange.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
        for index in 0..<count where exchange.write([UInt8(truncatingIfNeeded: index)]) {
            exchange.wire.pause(for: .milliseconds(10))
        }
    }

    @Test func `a healthy slow download ends after the client's total limit when its request allows it`() async throws {
        try await withOrigin(Self.client(total: .milliseconds(60))) {
            Self.drip($0, count: 30)
        } _: { origin, client in
            let response = try await client.send(Self.request(origin) { $0.totalTimeout = .seconds(50) })
            try await expectEqual(response.body.collect(upTo: 30).count, 30)
            // Without the option the client's limit applies.
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.bytes(Self.request(origin) { _ in })
            }
            expectEqual(error?.code, .timedOut)
        }
    }

    @Test func `a request ends after its own total limit`() async throws {
        try await withOrigin(Self.client()) {
            Self.drip($0, count: 10_000)
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.bytes(Self.request(origin) { $0.totalTimeout = .milliseconds(80) })
            }
            expectEqual(error?.message.contains("did not end within 0.08"), true)
        }
    }

    @Test func `a request ends after its own idle limit`() async throws {
        try await withOrigin(Self.client()) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            exchange.waitForClose()
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.bytes(Self.request(origin) { $0.idleTimeout = .milliseconds(50) })
            }
            expectEqual(error?.message.contains("silent for 0.05"), true)
        }
    }

    @Test func `an origin may think for longer than it may be silent later`() async throws {
        try await withOrigin(Self.client(idle: .milliseconds(50))) { exchange in
            exchange.wire.pause(for: .milliseconds(300))
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            exchange.waitForClose()
        } _: { origin, client in
            let response = try await client.send(Self.request(origin) { $0.firstByteTimeout = .seconds(4_000) })
            let error = await #expect(throws: HTTPError.self) { _ = try await response.body.collect(upTo: 10) }
            expectEqual(error?.message.contains("silent for 0.05"), true)
        }
    }

    @Test func `an origin that thinks for too long is ended by the limit for the first line`() async throws {
        try await withOrigin(Self.client()) { exchange in
            exchange.waitForClose()
        } _: { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.send(Self.request(origin) { $0.firstByteTimeout = .milliseconds(50) })
            }
            expectEqual(error?.code, .timedOut)
            expectEqual(error?.message.contains("no line of a response"), true)
        }
    }

    @Test(arguments: [(1_000, 2_000), (2_000, 1_000)])
    func `the smaller limit of a body counts`(_ ofClient: Int, _ ofRequest: Int) async throws {
        try await withOrigin(Self.client(body: ofClient)) { exchange in
            exchange.respond(body: [UInt8](repeating: 1, count: exchange.path == "/more" ? 1_001 : 1_000))
        } _: { origin, client in
            var request = Self.request(origin) { $0.maximumBodyByteCount = ofRequest }
            let bytes = try await client.bytes(request)
            expectEqual(bytes.count, 1_000)
            request.url = origin.url("/more")
            let error = await #expect(throws: HTTPError.self) { _ = try await client.send(request) }
            expectEqual(error?.code, .bodyTooLarge)
        }
    }

    @Test func `a body that drips below the pace is ended and a faster one is not`() async throws {
        try await withOrigin(Self.client()) {
            Self.drip($0, count: $0.path == "/fast" ? 100 : 10_000)
        } _: { origin, client in
            var request = Self.request(origin) {
                $0.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1_000_000, over: .milliseconds(100))
            }
            let error = await #expect(throws: HTTPError.self) {
                _ = try await client.bytes(request)
            }
            expectEqual(error?.code, .timedOut)
            expectEqual(error?.message.contains("slowly"), true)
            // Several periods, and a byte in each is enough.
            request.url = origin.url("/fast")
            request.options.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1, over: .milliseconds(200))
            let bytes = try await client.bytes(request)
            expectEqual(bytes.count, 100)
        }
    }

    @Test func `the more urgent of the waiting requests goes first and equals in order`() async throws {
        var configuration = Self.client()
        configuration.maximumConnectionsPerHost = 1
        let gate = OriginGate()
        let origin = try OriginServer.start()
        origin.respondToEverything { $0.path == "/first" ? OriginReply.ok([1]).held(at: gate) : .ok([1]) }
        let client = HTTPClient(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let send = { (path: String, priority: HTTPPriority) in
                var request = HTTPRequest(url: origin.url(path))
                request.options.priority = priority
                return { @Sendable [request] in
                    _ = try await client.bytes(request)
                }
            }
            group.addTask(operation: send("/first", .normal))
            await origin.waitForRequests(count: 1)
            let later: [(String, HTTPPriority)] = [
                ("/low", .low), ("/normal1", .normal), ("/high", .high), ("/normal2", .normal), ("/top", .veryHigh),
            ]
            for (index, (path, priority)) in later.enumerated() {
                group.addTask(operation: send(path, priority))
                while await client.transferCount < index + 2 { await Task.yield() }
            }
            gate.open()
            try await group.waitForAll()
        }
        expectEqual(origin.requests.map(\.path), ["/first", "/top", "/high", "/normal1", "/normal2", "/low"])
        await client.shutdown()
        origin.stop()
    }

    @Test func `options are part of the equality of requests and time is no part of their identity`() throws {
        let plain = HTTPRequest(url: try #require(URL(string: "http://a.example/")))
        var timed = plain
        timed.options.totalTimeout = .seconds(1)
        timed.options.idleTimeout = .seconds(1)
        timed.options.firstByteTimeout = .seconds(1)
        timed.options.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1, over: .seconds(1))
        timed.options.priority = .high
        #expect(timed != plain)
        expectEqual(timed.options.identity, plain.options)
        var strict = timed
        strict.options.addressPolicy = .unrestricted
        #expect(strict.options.identity != timed.options.identity)
        strict.options = timed.options
        strict.options.tls = .insecure
        #expect(strict.options.identity != timed.options.identity)
        strict.options = timed.options
        strict.options.maximumBodyByteCount = 1
        #expect(strict.options.identity != timed.options.identity)
        expectEqual(Set([plain, timed, strict, strict]).count, 3)
        timed.options = HTTPRequest.Options()
        expectEqual(timed, plain)
    }

    @Test func `a low speed limit of any size has a byte count`() {
        let limits = [(Int.max, Duration.seconds(86_400)), (0, .zero), (-5, .seconds(-1)), (1, .seconds(Int64.max))]
        for (rate, period) in limits {
            var options = HTTPRequest.Options()
            options.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: rate, over: period)
            var configuration = HTTPClient.Configuration()
            configuration.lowSpeedLimit = options.lowSpeedLimit
            _ = HTTPClient(configuration: configuration)
        }
    }
}
