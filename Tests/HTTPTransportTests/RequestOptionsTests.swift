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
            await expectHTTPError(.timedOut) { try await client.bytes(Self.request(origin) { _ in }) }
        }
    }

    @Test func `a request ends after its own limits`() async throws {
        let rows: [(path: String, message: String, change: (inout HTTPRequest.Options) -> Void)] = [
            ("/drip", "did not end within 0.08", { $0.totalTimeout = .milliseconds(80) }),
            ("/silence", "silent for 0.05", { $0.idleTimeout = .milliseconds(50) }),
            ("/thinking", "silent for 0.05 seconds; no line of", { $0.firstByteTimeout = .milliseconds(50) }),
        ]
        try await withOrigin(Self.client()) { exchange in
            switch exchange.path {
            case "/drip": return Self.drip(exchange, count: 10_000)
            case "/silence": exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            default: break
            }
            exchange.waitForClose()
        } _: { origin, client in
            for (path, message, change) in rows {
                var request = Self.request(origin, change)
                request.url = origin.url(path)
                let error = await expectHTTPError(.timedOut, "\(path)") { try await client.bytes(request) }
                expectEqual(error?.message.contains(message), true, "\(path)")
            }
        }
    }

    @Test func `an origin may think for longer than it may be silent later`() async throws {
        try await withOrigin(Self.client(idle: .milliseconds(50))) { exchange in
            exchange.wire.pause(for: .milliseconds(300))
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            exchange.waitForClose()
        } _: { origin, client in
            let response = try await client.send(Self.request(origin) { $0.firstByteTimeout = .seconds(4_000) })
            let error = await expectHTTPError { try await response.body.collect(upTo: 10) }
            expectEqual(error?.message.contains("silent for 0.05"), true)
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
            await expectHTTPError(.bodyTooLarge) { try await client.send(request) }
        }
    }

    @Test func `a body that drips below the pace is ended and a faster one is not`() async throws {
        // No other limit is near when the period ends.
        try await withOrigin(Self.client(idle: .seconds(4_000))) {
            Self.drip($0, count: $0.path == "/fast" ? 100 : 10_000)
        } _: { origin, client in
            var request = Self.request(origin) {
                $0.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1_000_000, over: .milliseconds(100))
            }
            let error = await expectHTTPError(.timedOut) { try await client.bytes(request) }
            expectEqual(error?.message, "The body arrived more slowly than 1000000 bytes a second.")
            // Several periods, and a byte in each is enough.
            request.url = origin.url("/fast")
            request.options.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1, over: .milliseconds(200))
            let bytes = try await client.bytes(request)
            expectEqual(bytes.count, 100)
        }
    }

    @Test func `the time in which a reader has stopped a transfer is not slow`() async throws {
        // More than waits for a reader, and less than the pace asks for.
        let (size, rest) = (1 << 20, OriginGate())
        try await withOrigin(Self.client()) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\n")
            exchange.write([UInt8](repeating: 1, count: size))
            exchange.wire.hold(at: rest)
            exchange.write([2])
        } _: { origin, client in
            let request = Self.request(origin) {
                $0.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1_000_000, over: .seconds(10))
            }
            let response = try await client.send(request)
            while await !client.table.backdateStoppedTransfer() { await Task.yield() }
            var (chunks, count) = (response.body.makeAsyncIterator(), 0)
            while count < size { count += try await required(chunks.next()).count }
            // A turn of the loop, in which it has looked at the limits.
            await expectEqual(client.transferCount, 1)
            rest.open()
            try await expectEqual(chunks.next(), [2])
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
        // For HTTP/2, whose normal weight is 16.
        expectEqual(HTTPPriority.allCases.map(\.streamWeight), [1, 8, 16, 64, 256])
    }

    @Test func `options are part of the equality of requests and time is no part of their identity`() throws {
        let plain = HTTPRequest(url: URL(string: "http://a.example/")!)
        var timed = plain
        timed.options.totalTimeout = .seconds(1)
        timed.options.idleTimeout = .seconds(1)
        timed.options.firstByteTimeout = .seconds(1)
        timed.options.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 1, over: .seconds(1))
        timed.options.priority = .high
        timed.options.reports = TransferReports { _ in }
        expect(timed != plain)
        expectEqual(timed.options.identity, plain.options)
        let changes: [(inout HTTPRequest.Options) -> Void] = [
            { $0.addressPolicy = .unrestricted }, { $0.tls = .insecure }, { $0.decodesContent = false },
            { $0.maximumBodyByteCount = 1 },
        ]
        var strict = timed
        for (row, change) in changes.enumerated() {
            strict.options = timed.options
            change(&strict.options)
            expect(strict != timed, "row \(row)")
            expect(strict.options.identity != timed.options.identity, "row \(row)")
        }
        expectEqual(Set([plain, timed, strict, strict]).count, 3)
        timed.options = HTTPRequest.Options()
        expectEqual(timed, plain)
    }

    /// Expects two configurations to be equal in what a request may have of its own.
    private static func expectParts(_ found: HTTPClient.Configuration, _ expected: HTTPClient.Configuration) {
        expectEqual(found.totalTimeout, expected.totalTimeout)
        expectEqual(found.idleTimeout, expected.idleTimeout)
        expectEqual(found.firstByteTimeout, expected.firstByteTimeout)
        expectEqual(found.lowSpeedLimit, expected.lowSpeedLimit)
        expectEqual(found.maximumBodyByteCount, expected.maximumBodyByteCount)
        expectEqual(found.tls, expected.tls)
        expectEqual(found.tlsForHosts, expected.tlsForHosts)
        expectEqual(found.addressPolicy, expected.addressPolicy)
        expectEqual(found.redirectRule, expected.redirectRule)
        expectEqual(found.acceptableStatuses, expected.acceptableStatuses)
        expectEqual(found.acceptableContentTypes, expected.acceptableContentTypes)
        expect(found.cookieJar === expected.cookieJar)
    }

    @Test func `each option counts in place of the client's, and without one the client's stays`() {
        var client = HTTPClient.Configuration()
        client.tlsForHosts = ["a.example": .insecure]
        client.maximumBodyByteCount = 10
        client.cookieJar = HTTPCookieJar()
        client.redirectRule = HTTPRedirectRule(identity: "client") { _ in .follow }
        var own = client
        (own.totalTimeout, own.idleTimeout, own.firstByteTimeout) = (.seconds(1), .seconds(2), .seconds(3))
        own.lowSpeedLimit = HTTPLowSpeedLimit(bytesPerSecond: 3, over: .milliseconds(500))
        (own.tls, own.tlsForHosts, own.addressPolicy) = (.authorities(in: "/x"), [:], .unrestricted)
        own.redirectRule = HTTPRedirectRule(identity: "own") { _ in .follow }
        (own.acceptableStatuses, own.acceptableContentTypes, own.cookieJar) = ([200], .images, HTTPCookieJar())
        var options = HTTPRequest.Options()
        options.totalTimeout = own.totalTimeout
        options.idleTimeout = own.idleTimeout
        (options.firstByteTimeout, options.lowSpeedLimit) = (own.firstByteTimeout, own.lowSpeedLimit)
        (options.tls, options.addressPolicy, options.redirectRule) = (own.tls, own.addressPolicy, own.redirectRule)
        options.acceptableStatuses = own.acceptableStatuses
        options.acceptableContentTypes = own.acceptableContentTypes
        options.cookies.jar = own.cookieJar
        for (limit, counts) in [(nil, 10), (11, 10), (9, 9), (0, 0), (-1, 0)] as [(Int?, Int)] {
            (options.maximumBodyByteCount, own.maximumBodyByteCount) = (limit, counts)
            var merged = client
            merged.apply(options)
            Self.expectParts(merged, own)
        }
        var unchanged = client
        unchanged.apply(HTTPRequest.Options())
        Self.expectParts(unchanged, client)
        // Rounded up: a byte in half a second is too few for three in a second.
        expectEqual(own.lowSpeedLimit?.byteCount, 2)
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

extension TransferTable {
    /// Begins the pace of a stopped transfer at the beginning of the clock.
    /// - Returns: `false` while none is stopped.
    fileprivate func backdateStoppedTransfer() -> Bool {
        guard let transfer = transfers.values.first, case .running(_, .paused) = transfer.phase else { return false }
        transfer.beginPace(at: 1)
        return true
    }
}
