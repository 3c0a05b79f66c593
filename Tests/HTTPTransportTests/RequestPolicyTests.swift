// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// A kept connection serves only requests whose policies it satisfies.
@Suite(.timeLimit(.minutes(10)))
struct RequestPolicyTests {
    private static func request(_ url: URL, _ change: (inout HTTPRequest.Options) -> Void) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        change(&request.options)
        return request
    }

    private static func expectRefusal(
        _ code: HTTPError.Code, _ client: HTTPClient, _ request: HTTPRequest
    ) async {
        await expectHTTPError(code) { try await client.send(request) }
    }

    @Test func `a request under a stricter address policy does not use the connection of another`() async throws {
        try await withOrigin(HTTPClient.Configuration(), handler: { $0.respond(body: [1]) }) { origin, client in
            let url = URL(string: "http://localhost:\(origin.port)/")!
            let open = Self.request(url) { $0.addressPolicy = .unrestricted }
            try await expectEqual(client.bytes(open), [1])
            await Self.expectRefusal(.addressNotAllowed, client, HTTPRequest(url: url))
            try await expectEqual(client.bytes(open), [1])
            expectEqual(origin.requestCount, 2)
        }
    }

    @Test func `a request that a kept connection does not satisfy gets a connection of its own`() async throws {
        var listening = OriginServer.Configuration()
        listening.listensOnIPv6 = true
        let origin = try OriginServer.start(configuration: listening)
        origin.respondToEverything { _ in .ok([1]) }
        let client = HTTPClient(configuration: HTTPClient.Configuration()) { _ in
            .success([.v6(1), .v4(0x7F00_0001)])
        }
        let url = URL(string: "http://two.example:\(origin.port)/")!
        let send = { (network: String) async throws -> String? in
            let networks = [IPNetwork(network)].compactMap { $0 }
            let response = try await client.send(
                Self.request(url) { $0.addressPolicy = .publicInternet(allowing: networks) })
            _ = try await response.body.collect(upTo: 1)
            return response.metrics.remoteAddress
        }
        try await expectEqual(send("::1"), "::1")
        try await expectEqual(send("127.0.0.1"), "127.0.0.1")
        try await expectEqual(send("::1"), "::1")
        await client.shutdown()
        origin.stop()
    }

    @Test func `a kept connection is not used under another TLS policy`() async throws {
        let certificate = try TestCertificate.make()
        let origin = try OriginServer.start(tls: certificate)
        origin.respondToEverything { _ in .ok([1]) }
        let client = HTTPClient(configuration: .loopback)
        let request = { (tls: TLSPolicy?) in Self.request(origin.url("/")) { $0.tls = tls } }
        let policies = [TLSPolicy.insecure, .authorities(in: certificate.rootPath), .insecure]
        for policy in policies {
            try await expectEqual(client.bytes(request(policy)), [1])
            await Self.expectRefusal(.certificateNotTrusted, client, request(nil))
            await Self.expectRefusal(.certificateNotTrusted, client, request(.system))
        }
        expectEqual(origin.requestCount, 3)
        // Two connections for each policy did not get beyond the handshake.
        await origin.waitForFailedHandshakes(count: 6)
        await client.shutdown()
        expectEqual(origin.failedHandshakes, 6)
        origin.stop()
    }
}
