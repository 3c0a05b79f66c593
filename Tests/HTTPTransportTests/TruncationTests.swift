// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// A body that was cut is an error, whatever was to tell its end.
@Suite(.timeLimit(.minutes(1)))
struct TruncationTests {
    private static let picture = (0..<3_211).map { UInt8(truncatingIfNeeded: $0) }

    @Test(arguments: [OriginServer.TLSVersion.v12, .v13], [0, 1, 1_500, 3_211])
    func `a body that ends with its TLS connection and without a farewell is truncated`(
        _ version: OriginServer.TLSVersion, _ count: Int
    ) async throws {
        try await Self.withSecureOrigin(version) { origin, client in
            origin.respond(to: "/cut", with: .ok(Self.picture).untilClose().truncated(after: count))
            await expectHTTPError(.truncatedBody) {
                try await client.get(origin.url("/cut")).body.collect(upTo: 10_000)
            }
        }
    }

    @Test(arguments: [OriginServer.TLSVersion.v12, .v13])
    func `a body that ends with its TLS connection in order is whole`(_ version: OriginServer.TLSVersion) async throws {
        try await Self.withSecureOrigin(version) { origin, client in
            origin.respond(to: "/whole", with: .ok(Self.picture).untilClose())
            origin.respond(to: "/announced", with: .ok(Self.picture))
            for path in ["/whole", "/announced", "/whole", "/announced"] {
                let response = try await client.get(origin.url(path))
                try await expectEqual(response.body.collect(upTo: 10_000), Self.picture)
            }
            // More reads of the socket than one call of libcurl may make.
            for _ in 0..<150 {
                let response = try await client.get(origin.url("/announced"))
                try await expectEqual(response.body.collect(upTo: 10_000).count, Self.picture.count)
            }
        }
    }

    private static func withSecureOrigin(
        _ version: OriginServer.TLSVersion, _ body: (OriginServer, HTTPClient) async throws -> Void
    ) async throws {
        let certificate = try TestCertificate.make()
        var settings = OriginServer.Configuration()
        settings.newestTLSVersion = version
        let client = HTTPClient(configuration: .loopback { $0.tls = .authorities(in: certificate.rootPath) })
        try await withOriginServer(tls: certificate, configuration: settings) { try await body($0, client) }
        await client.shutdown()
    }
}
