// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import TestSupport
import Testing

@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
import WebImageTesting
#endif

/// Where a connection goes is decided by the configuration, never by the environment.
@Suite(.timeLimit(.minutes(1)))
struct ProxyTests {
    @Test func `the environment leads around neither the proxy nor the address policy, and its proxies are not asked`()
        async
    {
        // The environment belongs to the whole process, so each case has a process of its own.
        await #expect(processExitsWith: .success) {
            try await ProxyTests.request(in: ["NO_PROXY": "localhost,127.0.0.1,.svc,.cluster.local"])
        }
        await #expect(processExitsWith: .success) { try await ProxyTests.request(in: ["no_proxy": "*"]) }
        await #expect(processExitsWith: .success) {
            let dead = "http://127.0.0.1:9"
            try await ProxyTests.request(in: [
                "http_proxy": dead, "all_proxy": dead, "ALL_PROXY": dead, "HTTP_PROXY": dead,
            ])
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]"])
    func `a proxy at a private address is reached by name and by address`(
        _ host: String
    ) async throws {
        var listening = OriginServer.Configuration()
        listening.listensOnIPv6 = true
        let proxy = try OriginServer.start(configuration: listening)
        proxy.respondToEverything { .ok(Array($0.target.utf8)) }
        defer { proxy.stop() }
        var configuration = HTTPClient.Configuration()
        configuration.proxy = URL(string: "http://\(host):\(proxy.port)")
        let client = HTTPClient(configuration: configuration)
        for _ in 0..<3 {
            let response = try await client.get(URL(string: "http://far.example/a")!)
            let body = try await response.body.collect(upTo: 100)
            expectEqual(body, Array("http://far.example/a".utf8))
        }
        expectEqual(proxy.connectionCount, 1)
        await client.shutdown()
    }

    @Test(arguments: [403, 502, 302, 407]) func `a refused tunnel has the status of the proxy and is not tried again`(
        _ status: Int
    ) async throws {
        let proxy = try OriginServer.byHand { $0.respond(status, ["Proxy-Authenticate: Bearer"], body: [1]) }
        defer { proxy.stop() }
        var configuration = HTTPClient.Configuration()
        configuration.proxy = proxy.url("/")
        let client = HTTPClient(configuration: configuration)
        let loader = RetryingLoader(AlternativesLoader(client) { _ in [URL(string: "https://other.example/")!] })
        // A tunnel without a credential is another refusal.
        let error = await expectHTTPError(status == 407 ? .proxyAuthenticationRequired : .proxyRefused) {
            try await loader.get(URL(string: "https://far.example/")!)
        }
        expectEqual(error?.status, status)
        expectEqual(proxy.requests.map(\.method), ["CONNECT"])
        await client.shutdown()
    }

    /// Asks for a private address by its name, through a proxy.
    static func request(in environment: [String: String]) async throws {
        for (name, value) in environment { unsafe setenv(name, value, 1) }
        let direct = try OriginServer.byHand { $0.respond(body: Array("direct".utf8)) }
        let proxy = try OriginServer.byHand { $0.respond(body: Array("proxy".utf8)) }
        var configuration = HTTPClient.Configuration()
        configuration.proxy = proxy.url("/")
        let client = HTTPClient(configuration: configuration)
        let url = URL(string: "http://localhost:\(direct.port)/admin.png")!
        for _ in 0..<2 {
            let response = try await client.get(url)
            try await expectEqual(response.body.collect(upTo: 100), Array("proxy".utf8))
        }
        expectEqual(direct.connectionCount, 0)
        expectEqual(proxy.connectionCount, 1)
        await client.shutdown()
    }

    @Test func `a proxy has the port of its URL, or that of its scheme`() throws {
        let rows = ["http://a": 1_080, "https://a": 443, "SOCKS5H://a": 1_080, "http://a:80": 80, "https://[::1]:1": 1]
        for (url, port) in rows { try expectEqual(Proxy(required(URL(string: url))).port, port, "\(url)") }
    }

    @Test func `the head of a proxy before a tunnel is not that of the origin`() async throws {
        let proxy = try OriginServer.byHand { exchange in
            exchange.write("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
            exchange.close()
        }
        defer { proxy.stop() }
        let client = HTTPClient(configuration: .loopback { $0.proxy = proxy.url("/") })
        let error = await expectHTTPError { try await client.get(URL(string: "https://far.example/")!) }
        expectNil(error?.status)
        expect([.tlsFailed, .connectionLost].contains(error?.code))
        await client.shutdown()
    }
}
