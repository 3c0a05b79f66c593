// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// No test here measures time: each waits for a limit to strike, and would hang (until the suite's limit) if it did
/// not.
@Suite(.timeLimit(.minutes(10)))
struct TimeoutTests {
    private static func configuration(
        connect: Duration = .seconds(30), idle: Duration = .seconds(30), total: Duration = .seconds(50)
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        configuration.connectTimeout = connect
        configuration.idleTimeout = idle
        configuration.totalTimeout = total
        return configuration
    }

    /// Runs a body with an idle limit that must not strike. If it does, the machine may have been too busy to send for
    /// that long: the body runs again with twice the limit, up to 6.4 seconds.
    private static func withoutSilence(_ body: (_ limit: Duration) async throws -> Void) async throws {
        var limit = Duration.milliseconds(100)
        while limit < .seconds(6) {
            do {
                return try await body(limit)
            } catch let error as HTTPError where error.code == .timedOut {
                limit *= 2
            }
        }
        try await body(limit)
    }

    @Test(arguments: [Duration.milliseconds(50), .seconds(-1)])
    func `an origin that does not answer times out as idle and loses its connection, whatever the limit is`(
        limit: Duration
    ) async throws {
        let closed = Gate()
        try await withOrigin(Self.configuration(idle: limit)) { exchange in
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let error = await expectHTTPError(.timedOut) { try await client.get(origin.url("/")) }
            expectEqual(error?.message.contains("silent"), true)
            await closed.pass()
        }
    }

    @Test func `An origin that falls silent within the body times out`() async throws {
        var configuration = Self.configuration(idle: .milliseconds(50))
        configuration.firstByteTimeout = .seconds(30)
        try await withOrigin(configuration) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            exchange.waitForClose()
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            var bytes: [UInt8] = []
            let error = await expectHTTPError(.timedOut) { for try await chunk in response.body { bytes += chunk } }
            expectEqual(error?.status, 200)
            expectEqual(bytes, Array("abc".utf8))
        }
    }

    @Test func `An origin that drips is ended by the total limit`() async throws {
        try await withOrigin(Self.configuration(idle: .seconds(20), total: .milliseconds(600))) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.write([1]), exchange.wire.pause(for: .milliseconds(5)) {}
            exchange.close()
        } _: { origin, client in
            let error = await expectHTTPError(.timedOut) {
                let response = try await client.get(origin.url("/"))
                for try await _ in response.body {}
            }
            expectEqual(error?.message.contains("silent"), false)
        }
    }

    @Test func `A slow origin that keeps moving is not idle`() async throws {
        try await Self.withoutSilence { limit in
            // Every pause is far below the limit, all of them together are above it.
            try await withOrigin(Self.configuration(idle: limit)) { exchange in
                exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n")
                for index in 0..<30 {
                    exchange.wire.pause(for: limit / 20)
                    exchange.write([UInt8(index)])
                }
            } _: { origin, client in
                let response = try await client.get(origin.url("/"))
                try await expectEqual(response.body.collect(upTo: 30).count, 30)
            }
        }
    }

    @Test func `A handshake that hangs is ended by the connect limit`() async throws {
        var silence = OriginServer.Configuration()
        silence.connectionGate = OriginGate()
        let origin = try OriginServer.start(configuration: silence)
        let client = HTTPClient(configuration: Self.configuration(connect: .milliseconds(100)))
        let error = await expectHTTPError(.timedOut) {
            try await client.get(URL(string: "https://127.0.0.1:\(origin.port)/")!)
        }
        expectEqual(error?.message.contains("connection"), true)
        await client.shutdown()
        origin.stop()
    }

    @Test func `A reader that does not read is not an idle origin`() async throws {
        let size = 8 << 20
        // Made before: the origin must not be slow to answer.
        let body = [UInt8](repeating: 3, count: size)
        let part = Array(body[..<(1 << 20)])
        try await Self.withoutSilence { limit in
            try await withOrigin(Self.configuration(idle: limit)) { exchange in
                if exchange.path == "/silent" { return exchange.waitForClose() }
                guard exchange.path == "/part" else { return exchange.respond(body: body) }
                exchange.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                exchange.write(part)
                exchange.waitForClose()
            } _: { origin, client in
                let (slow, cut) = (try await client.get(origin.url("/big")), try await client.get(origin.url("/part")))
                // Silent origins are the clock: several idle limits pass while the big body is not read.
                for _ in 0..<3 {
                    await expectHTTPError(.timedOut) { try await client.get(origin.url("/silent")) }
                }
                try await expectEqual(slow.body.collect(upTo: size).count, size)
                // An origin that has sent no more meanwhile is silent from now on.
                var count = 0
                do { for try await chunk in cut.body { count += chunk.count } } catch let error as HTTPError {
                    guard count == part.count else { throw error }
                    expectEqual(error.message.contains("silent"), true)
                }
                expectEqual(count, part.count)
            }
        }
    }

    @Test func `waiting for a connection is not idleness`() async throws {
        try await Self.withoutSilence { limit in
            var configuration = Self.configuration(idle: limit)
            configuration.maximumConnectionsPerHost = 1
            let isQueued = OriginGate()
            try await withOrigin(configuration) { exchange in
                if exchange.path == "/2" { return exchange.respond(body: [2]) }
                exchange.write("HTTP/1.1 200 OK\r\n\r\n")
                exchange.wire.hold(at: isQueued)
                // Each pause is far below the idle limit, all of them together are five times as long.
                for _ in 0..<200 where exchange.write([1]) { exchange.wire.pause(for: limit / 40) }
                exchange.close()
            } _: { origin, client in
                let first = try await client.get(origin.url("/1"))
                let second = Task.immediate {
                    try await client.get(origin.url("/2")).body.collect(upTo: 1)
                }
                let count = await client.transferCount
                isQueued.open()
                try await expectEqual(first.body.collect(upTo: 200).count, 200)
                try await expectEqual(second.value, [2])
                expectEqual(count, 2)
            }
        }
    }

    @Test func `waiting for a connection counts in the total limit`() async throws {
        var configuration = Self.configuration(total: .seconds(1))
        configuration.maximumConnectionsPerHost = 1
        let other = try OriginServer.byHand { $0.waitForClose() }
        defer { other.stop() }
        try await withOrigin(configuration, handler: { $0.waitForClose() }) { origin, client in
            // The second waits until the first is over. The third does not wait, and begins last.
            let transfers = [origin.url("/1"), origin.url("/2"), other.url("/3")].map { url in
                Task.immediate { _ = try await client.get(url) }
            }
            for transfer in transfers.reversed() {
                let error = await expectHTTPError(.timedOut) { try await transfer.value }
                expectEqual(error?.message.contains("silent"), false)
                // With the time that the second has waited its limit strikes before that of the third.
                await expectEqual(client.transferCount, 0)
            }
        }
    }

    @Test func `the total limit covers all redirects together`() async throws {
        // Each hop takes less than the limit, all of them together several times as much.
        try await withOrigin(Self.configuration(total: .milliseconds(700))) { exchange in
            exchange.wire.pause(for: .milliseconds(250))
            let number = Int(exchange.path.dropFirst()) ?? 0
            if number == 9 { return exchange.respond(body: [1]) }
            exchange.respond(302, ["Location: /\(number + 1)"])
        } _: { origin, client in
            await expectHTTPError(.timedOut) { try await client.get(origin.url("/0")) }
        }
    }
}
