// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// One request, and the means to answer it in any way, right or wrong.
///
/// Used by the connection's thread alone.
struct TestExchange {
    let request: OriginRequest
    let wire: OriginWire

    var method: String { request.method }
    /// Path and query.
    var path: String { request.target }
    var headers: HTTPHeaders { request.headers }
    var body: [UInt8] { request.body }

    /// Returns whether the peer still takes bytes.
    @discardableResult func write(_ bytes: [UInt8]) -> Bool { wire.write(bytes) }
    @discardableResult func write(_ text: String) -> Bool { wire.write(text) }

    /// A complete answer.
    func respond(_ status: Int = 200, _ headers: [String] = [], body: [UInt8] = []) {
        let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.count)"] + headers
        // In one piece: two small writes would wait for each other's acknowledgement.
        write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (method == "HEAD" ? [] : body))
    }

    func close() { wire.close() }
    func reset() { wire.reset() }
    func waitForClose() { wire.waitForClose() }
}

extension OriginServer {
    /// Starts a server whose every answer is written by hand.
    static func byHand(_ handler: @escaping @Sendable (TestExchange) -> Void) throws -> OriginServer {
        let origin = try start()
        origin.respondToEverything { request in
            .byHand { handler(TestExchange(request: request, wire: $0)) }
        }
        return origin
    }
}

extension HTTPClient.Configuration {
    /// The defaults, with this machine allowed.
    static var loopback: Self {
        var configuration = Self()
        configuration.addressPolicy = .publicInternet(allowing: IPNetwork.loopback)
        return configuration
    }

    /// The same, with a change.
    static func loopback(_ change: (inout Self) -> Void) -> Self {
        var configuration = loopback
        change(&configuration)
        return configuration
    }
}

/// Runs a test with an origin and a client and ends both.
func withOrigin(
    _ configuration: HTTPClient.Configuration = .loopback, handler: @escaping @Sendable (TestExchange) -> Void,
    _ body: (OriginServer, HTTPClient) async throws -> Void
) async throws {
    let origin = try OriginServer.byHand(handler)
    let client = HTTPClient(configuration: configuration)
    defer { origin.stop() }
    do {
        try await body(origin, client)
    } catch {
        await client.shutdown()
        throw error
    }
    await client.expectEmptyTables()
    await client.shutdown()
}

extension HTTPClient {
    /// Checks that nothing is left in any table of the event loop, once the transfers that were let go have ended.
    func expectEmptyTables() async {
        while await transferCount > 0 { await Task.yield() }
        // Some are cleared at the end of a turn; each look is a turn.
        for _ in 0..<50 where await table.entryCount != 0 { await Task.yield() }
        await expectEqual(table.entryCount, 0)
    }
}

extension TransferOrder {
    /// What a client would make of a request.
    convenience init(id: UInt64, _ request: HTTPRequest, in table: TransferTable) throws {
        let hop = try Hop(request, settings: table.settings)
        self.init(
            id: id, hop: hop, started: EventLoop.nanoseconds, recorder: MetricsRecorder(HTTPMetrics()), table: table)
    }
}

extension HTTPLoading {
    func get(_ url: URL) async throws -> HTTPResponse { try await send(HTTPRequest(url: url)) }

    /// The whole body of the response.
    func bytes(_ request: HTTPRequest) async throws -> [UInt8] {
        try await send(request).body.collect(upTo: 1 << 20)
    }
}
