// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Lists of hosts, ports and networks.
@Suite(.timeLimit(.minutes(10)))
struct HostPolicyTests {
    private func code(_ client: HTTPClient, _ url: String) async throws -> HTTPError.Code? {
        let request = HTTPRequest(url: try required(URL(string: url)))
        do {
            _ = try await client.send(request)
            return nil
        } catch let error as HTTPError {
            return error.code
        }
    }

    /// A proxy answers for every host, so names need not exist.
    private func withProxy(
        _ policy: AddressPolicy, _ body: (HTTPClient, OriginServer) async throws -> Void
    ) async throws {
        let proxy = try OriginServer.byHand { exchange in
            exchange.respond(exchange.path.hasSuffix("/away") ? 302 : 200, ["Location: http://denied.example/"])
        }
        var configuration = HTTPClient.Configuration()
        configuration.proxy = proxy.url("/")
        configuration.addressPolicy = policy
        let client = HTTPClient(configuration: configuration)
        try await body(client, proxy)
        await client.shutdown()
        proxy.stop()
    }

    @Test func `denied hosts and ports are refused in requests and redirects also behind a proxy`() async throws {
        var policy = AddressPolicy.publicInternet
        policy.deniedHosts = ["Denied.example", "*.bad.example"]
        policy.deniedPorts = [22]
        try await withProxy(policy) { client, proxy in
            let denied = [
                "http://denied.example/", "http://DENIED.example./", "http://a.bad.example/", "http://a.b.bad.example/",
                "http://fine.example:22/", "http://fine.example/away",
            ]
            for url in denied {
                let code = try await code(client, url)
                expectEqual(code, .addressNotAllowed, "\(url)")
            }
            expectEqual(proxy.requestCount, 1)
            for url in ["http://bad.example/", "http://notdenied.example/", "http://fine.example:23/"] {
                let code = try await code(client, url)
                expectNil(code, "\(url)")
            }
        }
    }

    @Test func `only allowed hosts and ports are asked`() async throws {
        var policy = AddressPolicy.unrestricted
        policy.allowedHosts = ["*.good.example", "one.example"]
        policy.allowedPorts = [80, 8_080]
        policy.deniedHosts = ["secret.good.example"]
        try await withProxy(policy) { client, _ in
            for url in ["http://a.good.example/", "http://one.example:8080/", "http://a.b.good.example."] {
                let code = try await code(client, url)
                expectNil(code, "\(url)")
            }
            let refused = [
                "http://good.example/", "http://two.example/", "http://one.example:81/", "https://one.example/",
                "http://secret.good.example/", "http://93.184.216.34/", "http://xgood.example/",
            ]
            for url in refused {
                let code = try await code(client, url)
                expectEqual(code, .addressNotAllowed, "\(url)")
            }
        }
    }

    @Test func `a denied network is refused whatever the rule allows`() async throws {
        var policy = AddressPolicy.unrestricted
        policy.deniedNetworks = IPNetwork.loopback
        try expect(!policy.allows(required(IPAddress("127.0.0.1"))))
        try expect(!policy.allows(required(IPAddress("::ffff:127.0.0.1"))))
        try expect(policy.allows(required(IPAddress("10.0.0.1"))))
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = policy
        try await withOrigin(configuration, handler: { $0.respond() }) { origin, client in
            for host in ["127.0.0.1", "localhost", "2130706433"] {
                let code = try await code(client, "http://\(host):\(origin.port)/")
                expectEqual(code, .addressNotAllowed)
            }
            expectEqual(origin.connectionCount, 0)
        }
        var narrow = AddressPolicy.publicInternet(allowing: IPNetwork.loopback)
        narrow.deniedNetworks = [IPNetwork("127.0.0.2")].compactMap { $0 }
        try expect(narrow.allows(required(IPAddress("127.0.0.1"))))
        try expect(!narrow.allows(required(IPAddress("127.0.0.2"))))
        // All of IPv4, in the form of IPv6.
        policy.deniedNetworks = [IPNetwork("::ffff:0:0/96")].compactMap { $0 }
        try expect(!policy.allows(required(IPAddress("8.8.8.8"))))
    }
}
