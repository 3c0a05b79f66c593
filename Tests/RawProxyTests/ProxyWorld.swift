// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import Synchronization
import WebImageTesting

@testable import raw_proxy

/// A client, the proxy, and the origin behind it, each on a socket, under a clock that the test turns.
struct ProxyWorld {
    let origin: OriginServer
    let clock: Clock
    fileprivate let port: Int
    fileprivate let client: HTTPClient

    final class Clock: Sendable {
        private let seconds = Mutex(1_767_225_600)
        var now: HTTPDate { HTTPDate(secondsSince1970: seconds.withLock { $0 }) }
        func advance(by count: Int) { seconds.withLock { $0 += count } }
    }

    struct Seen {
        let response: HTTPResponse
        let body: [UInt8]
        var status: Int { response.status }
        var cacheStatus: String? { response.headers["Cache-Status"] }
        func callAsFunction(_ name: String) -> String? { response.headers[name] }
    }

    /// Asks the proxy.
    func get(
        _ path: String, _ headers: HTTPHeaders = [:], method: String = "GET", body: [UInt8]? = nil
    ) async throws -> Seen {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw CancellationError() }
        var request = HTTPRequest(url: url, method: method, headers: headers, body: body)
        request.options.decodesContent = false
        let response = try await client.send(request)
        return Seen(response: response, body: try await response.body.collect(upTo: 1 << 20))
    }

    static func run(
        store: any RawResponseStoring = MemoryStore(), _ body: (ProxyWorld) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        configuration.maximumRedirects = 0
        configuration.idleTimeout = .seconds(120)
        configuration.connectTimeout = .seconds(120)
        let client = HTTPClient(configuration: configuration)
        let (origin, clock) = (try OriginServer.start(), Clock())
        let proxy = Proxy(client: client, store: store, rules: .shared, now: { clock.now })
        guard let address = URL(string: "http://127.0.0.1:\(origin.port)") else { throw CancellationError() }
        let server = try proxy.serve(origin: address, port: 0)
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await body(ProxyWorld(origin: origin, clock: clock, port: server.port, client: client)))
        } catch {
            result = .failure(error)
        }
        await client.shutdown()
        server.stop()
        origin.stop()
        try result.get()
    }
}
