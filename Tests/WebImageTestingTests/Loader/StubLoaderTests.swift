// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(1)))
struct StubLoaderTests {
    private let url = URL(string: "https://a.example/x.png")!

    @Test func `each path has replies in turn and requests are recorded`() async throws {
        let loader = StubLoader()
        loader.respond(to: "/x.png", with: .status(503), .ok([1, 2, 3], type: "image/png").header("ETag", "\"1\""))
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await loader.send(HTTPRequest(url: url)).status) }
        expectEqual(statuses, [503, 200, 200])
        let other = try await loader.send(HTTPRequest(url: url.appending(path: "y")))
        expectEqual([other.status, loader.requestCount(for: "/x.png")], [404, 3])
        expectEqual(loader.requests.map(\.url.lastPathComponent), ["x.png", "x.png", "x.png", "y"])
        let response = try await loader.send(HTTPRequest(url: url))
        expectEqual(response.headers["Content-Length"], "3")
        expectEqual(response.headers["ETag"], "\"1\"")
        let body = try await response.body.collect(upTo: 3)
        expectEqual(body, [1, 2, 3])
        expectAll(response.metrics.bytesReceived == 3, response.metrics.total == .zero)
    }

    @Test func `a head waits for its gate and a cancelled request is counted`() async throws {
        let gate = Gate()
        let loader = StubLoader { _, number in number == 1 ? .ok([]).held(at: gate) : number == 2 ? .silence : .ok([]) }
        let held = Task { try await loader.send(HTTPRequest(url: url)).status }
        let silent = Task {
            await gate.reached()
            return try await loader.send(HTTPRequest(url: url)).status
        }
        await loader.waitForRequests(count: 2)
        expectEqual([loader.openRequests, loader.peakOpenRequests], [2, 2])
        silent.cancel()
        await expectError(CancellationError.self) { _ = try await silent.value }
        gate.open()
        try await expectEqual(held.value, 200)
        expectEqual([loader.openRequests, loader.cancelledRequests], [0, 1])
        // The most at a time are what they were.
        _ = try await loader.send(HTTPRequest(url: url))
        expectEqual(loader.peakOpenRequests, 2)
    }

    @Test func `a stub answers as a network does: after the call, by the path as sent, and without a body for HEAD`()
        async throws
    {
        let loader = StubLoader()
        let file = StubReply.ok([1, 2, 3]).header("Vary", "A").header("Vary", "B")
        loader.respond(to: "/a%20b", with: .status(503), file, .status(304, bytes: [1]))
        let odd = URL(string: "https://a.example/a%20b")!
        let executor = SeededExecutor(seed: 1)
        let first = Probe(on: executor) { try await loader.send(HTTPRequest(url: odd)).status }
        while loader.requestCount == 0 { executor.run(steps: 1) }
        expect(first.isRunning)
        executor.drain()
        expectEqual(first.value, 503)
        let head = try await loader.send(HTTPRequest(url: odd, method: "HEAD"))
        expectEqual(head.headers.values(for: "Vary"), ["A", "B"])
        expectEqual(head.headers["Content-Length"], "3")
        try await expectEqual(head.body.collect(upTo: 3), [])
        try await expectEqual(loader.send(HTTPRequest(url: odd)).body.collect(upTo: 3), [])
        // One at a time, and more than are waited for.
        expectEqual([loader.openRequests, loader.peakOpenRequests, loader.requestCount(for: "/a%20b")], [0, 1, 3])
        await loader.waitForRequests(count: 2)
        // A length that is set stays the only one.
        loader.respond(to: "/x.png", with: .ok([1]).header("Content-Length", "9"))
        let lying = try await loader.send(HTTPRequest(url: url))
        expectEqual(lying.headers.values(for: "Content-Length"), ["9"])
    }

    @Test func `a body stops and fails where it was told to`() async throws {
        let gate = Gate()
        let loader = StubLoader()
        let reply = StubReply.ok(Array(0..<10)).inChunks(of: 4).held(at: gate, afterBodyBytes: 6).failing(after: 9)
        loader.respond(to: "/x.png", with: reply)
        var bytes: [UInt8] = []
        var iterator = try await loader.send(HTTPRequest(url: url)).body.makeAsyncIterator()
        while bytes.count < 6, let chunk = try await iterator.next() { bytes += chunk }
        expectEqual(bytes, Array(0..<6))
        expectEqual(gate.arrivals, 0)
        gate.open()
        while bytes.count < 9, let chunk = try await iterator.next() { bytes += chunk }
        expectEqual(bytes, Array(0..<9))
        let error = await expectError(HTTPError.self) { _ = try await iterator.next() }
        expectEqual(error?.code, .connectionLost)
    }

    @Test func `a failure is thrown and the shutdown waits for its gate`() async throws {
        let gate = Gate()
        let loader = StubLoader(schemes: ["https"], shutdownGate: gate) { _, _ in .failure(.cannotConnect) }
        let error = await expectError(HTTPError.self) { _ = try await loader.send(HTTPRequest(url: url)) }
        expectEqual(error?.code, .cannotConnect)
        expect(loader.canLoad(HTTPRequest(url: url)))
        expect(!loader.canLoad(HTTPRequest(url: URL(string: "ftp://a/")!)))
        let end = Task { await loader.shutdown() }
        await gate.reached()
        expect(!loader.isShutDown)
        gate.open()
        await end.value
        expect(loader.isShutDown)
    }
}
