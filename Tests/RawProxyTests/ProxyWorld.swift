// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import Locks
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

    /// Sends bytes as they are, and returns what comes back until the proxy closes.
    func exchange(_ text: String) async -> String { await Self.exchange(text, with: port) }

    static func exchange(_ text: String, with port: Int) async -> String {
        let (answers, answer) = AsyncStream.makeStream(of: String.self)
        // Reading blocks, so it has a thread of its own.
        Thread.detachNewThread {
            answer.yield(blocking(text, port))
            answer.finish()
        }
        return await answers.first { _ in true } ?? ""
    }

    private static func blocking(_ text: String, _ port: Int) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let bytes = Array(text.utf8)
        guard isConnected, unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            return ""
        }
        var (answer, chunk): ([UInt8], [UInt8]) = ([], .init(repeating: 0, count: 65_536))
        while true {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += chunk[..<count]
        }
    }

    static func run(
        store: any RawResponseStoring = MemoryStore(), connections: Int = 512, _ body: (ProxyWorld) async throws -> Void
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
        let server = try proxy.serve(origin: address, port: 0, connections: connections)
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
