// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Whatever the limits say, a request has an end and nothing traps: an answer, or an error.
@Suite(.timeLimit(.minutes(10)))
struct ExtremeLimitTests {
    private typealias Change<Value> = @Sendable (inout HTTPClient.Configuration, Value) -> Void

    private static let numbers: [String: Change<Int>] = [
        "body": { $0.maximumBodyByteCount = $1 },
        "header bytes": { $0.maximumHeaderByteCount = $1 },
        "header fields": { $0.maximumHeaderCount = $1 },
        "URL": { $0.maximumURLByteCount = $1 },
        "redirects": { $0.maximumRedirects = $1 },
        "connections of a host": { $0.maximumConnectionsPerHost = $1 },
        "connections": { $0.maximumConnections = $1 },
        "idle connections": { $0.maximumIdleConnections = $1 },
        "waiting requests": { $0.maximumQueuedRequests = $1 },
        "compression ratio": { $0.maximumCompressionRatio = $1 },
        "name look-ups": { $0.maximumNameLookups = $1 },
    ]

    private static let times: [String: Change<Duration>] = [
        "connect": { $0.connectTimeout = $1 },
        "idle": { $0.idleTimeout = $1 },
        "total": { $0.totalTimeout = $1 },
        "idle connection": { $0.idleConnectionLifetime = $1 },
    ]

    @Test(arguments: numbers.keys.sorted(), [Int.min, -1, 0, 1, .max])
    func `A limit may be any number`(limit: String, value: Int) async throws {
        try await Self.request { Self.numbers[limit]!(&$0, value) }
    }

    @Test(
        arguments: times.keys.sorted(),
        [
            Duration.seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(Int64.max),
        ])
    func `A time may be any time`(time: String, value: Duration) async throws {
        try await Self.request { Self.times[time]!(&$0, value) }
    }

    /// The bytes 1, 2, 3 as gzip.
    private static let packed: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x63, 0x64, 0x62, 6, 0, 0x1D, 0x80, 0xBC, 0x55, 3, 0, 0, 0,
    ]

    private static func request(_ change: (inout HTTPClient.Configuration) -> Void) async throws {
        var configuration = HTTPClient.Configuration.loopback
        change(&configuration)
        try await withOrigin(configuration) { exchange in
            if exchange.path == "/moved" {
                exchange.respond(302, ["Location: /"])
            } else if exchange.path == "/packed" {
                exchange.respond(200, ["Content-Encoding: gzip"], body: Self.packed)
            } else {
                exchange.respond(body: [1, 2, 3])
            }
        } _: { origin, client in
            for path in ["/", "/moved", "/packed", "/"] {
                do {
                    // By its name, so that it is looked up.
                    let url = URL(string: "http://localhost:\(origin.port)\(path)")!
                    let response = try await client.get(url)
                    let bytes = try await response.body.collect(upTo: 3)
                    expect(response.status == 302 || bytes == [1, 2, 3])
                } catch let error as HTTPError {
                    expect(!error.message.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 3, .max]) func `descriptors are shared, whatever is asked for and left`(
        _ number: Int
    ) {
        for free in [0, 1, 2, 20, 1 << 20, Int.max] {
            var configuration = HTTPClient.Configuration()
            configuration.maximumConnections = number
            configuration.maximumIdleConnections = number
            configuration.maximumNameLookups = number
            configuration.shareDescriptors(free: free)
            for limit in [configuration.maximumConnections, configuration.maximumIdleConnections] {
                expectAll(limit >= 1, limit <= max(1, free / 2))
            }
            expectAll(configuration.maximumNameLookups >= 1, configuration.maximumNameLookups <= max(1, free / 8))
        }
    }

    @Test func `a time limit is a millisecond to a day`() {
        let day: UInt64 = 86_400_000_000_000
        let rows: [(Duration, UInt64)] = [
            (.seconds(Int64.min), 1_000_000), (.zero, 1_000_000), (.nanoseconds(1), 1_000_000),
            (.milliseconds(2), 2_000_000),
            (.seconds(86_400), day), (.seconds(86_401), day), (.seconds(Int64.max), day),
        ]
        for (duration, expected) in rows { expectEqual(duration.clampedNanoseconds, expected, "\(duration)") }
    }
}
