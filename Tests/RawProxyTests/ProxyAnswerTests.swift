// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import raw_proxy

/// What the proxy makes of the answers of an origin, without sockets.
@Suite(.timeLimit(.minutes(1))) struct ProxyAnswerTests {
    private let stub = StubLoader()
    private let clock = ProxyWorld.Clock()
    private let store = MemoryStore(byteLimit: 1 << 20)

    private func answer(
        _ path: String = "/a", _ headers: HTTPHeaders = [:], method: String = "GET",
        from other: (any RawResponseStoring)? = nil
    ) async -> Answer {
        let proxy = Proxy(
            client: stub, store: other ?? store, rules: .shared, maximumBodyByteCount: 10, now: { [clock] in clock.now }
        )
        let url = URL(string: "http://o.example" + path)!
        return await proxy.answer(HTTPRequest(url: url, method: method, headers: headers))
    }

    private func fresh(_ control: String = "max-age=60") -> StubReply {
        .status(200, headers: ["Cache-Control": control, "ETag": "\"a\""], bytes: [1, 2, 3])
    }

    private func cacheStatus(_ path: String = "/a", _ headers: HTTPHeaders = [:]) async -> String? {
        await answer(path, headers).headers["Cache-Status"]
    }

    @Test func `a client hears a 304 that fits its own condition alone`() async {
        stub.respond(to: "/a", with: fresh(), .status(304, headers: ["ETag": "\"c\""]))
        _ = await answer()
        clock.advance(by: 60)
        let own = await answer("/a", ["If-None-Match": "\"c\""])
        expectEqual(own.status, 304)
        expectEqual(stub.requests.map { $0.headers["If-None-Match"] }, [nil, "\"a\", \"c\""])
    }

    @Test func `what a 304 changes is kept, unless nothing about this request may be kept`() async {
        let tag: HTTPHeaders = ["ETag": "\"a\""]
        let rows: [(path: String, asked: HTTPHeaders, new: HTTPHeaders, next: String)] = [
            ("/renewed", [:], tag, "hit; ttl=60"),
            ("/removed", [:], tag.with("Cache-Control", "no-store"), "fwd=uri-miss; fwd-status=200; stored"),
            ("/left", ["Authorization": "x"], tag, "fwd=stale; fwd-status=200; stored"),
        ]
        for row in rows {
            stub.respond(to: row.path, with: fresh(), .status(304, headers: row.new), fresh())
            _ = await answer(row.path)
            clock.advance(by: 60)
            let confirmed = await answer(row.path, row.asked)
            expectEqual(confirmed.status, 200)
            expectEqual(confirmed.body, [1, 2, 3])
            expectEqual(confirmed.headers["Cache-Status"], "raw-proxy; fwd=stale; fwd-status=304")
            await expectEqual(cacheStatus(row.path), "raw-proxy; " + row.next)
        }
    }

    @Test func `what the origin took for its answer is a part of the age`() async {
        let gate = Gate()
        stub.respond(to: "/a", with: fresh().header("Age", "10").held(at: gate))
        async let first = answer()
        await gate.reached()
        clock.advance(by: 5)
        gate.open()
        await expectEqual(first.status, 200)
        clock.advance(by: 1)
        let kept = await answer()
        expectEqual(kept.headers["Age"], "16")
        expectEqual(kept.headers["Cache-Status"], "raw-proxy; hit; ttl=44")
        // So it is of the age of what it confirms.
        let second = Gate()
        stub.respond(to: "/a", with: .status(304, headers: ["ETag": "\"a\"", "Age": "2"]).held(at: second))
        clock.advance(by: 60)
        async let confirmed = answer()
        await second.reached()
        clock.advance(by: 5)
        second.open()
        await expectEqual(confirmed.headers["Age"], "7")
    }

    @Test func `what is used while it is validated is renewed by a 304`() async throws {
        let target = try required(URL(string: "http://o.example/a").flatMap { CacheTarget($0) })
        stub.respond(
            to: "/a", with: fresh("max-age=60, stale-while-revalidate=60"), .status(304, headers: ["ETag": "\"a\""]))
        _ = await answer()
        clock.advance(by: 61)
        await expectEqual(cacheStatus(), "raw-proxy; hit; ttl=-1")
        while await store.responses(for: target).first?.stored.head.responseTime != clock.now { await Task.yield() }
        await expectEqual(cacheStatus(), "raw-proxy; hit; ttl=60")
        expectEqual(stub.requestCount, 2)
    }

    @Test func `an unsafe method ends what its answer names, and a HEAD what it contradicts`() async {
        stub.respond(to: "/a", with: .status(201, headers: ["Location": "/b"]))
        stub.respond(to: "/b", with: fresh())
        _ = await answer("/b")
        await expectEqual(cacheStatus("/b"), "raw-proxy; hit; ttl=60")
        _ = await answer(method: "POST")
        await expectEqual(cacheStatus("/b"), "raw-proxy; fwd=uri-miss; fwd-status=200; stored")
        clock.advance(by: 60)
        stub.respond(to: "/b", with: .status(200, headers: ["ETag": "\"b\""]))
        await expectEqual(answer("/b", ["Cache-Control": "max-stale, only-if-cached"]).status, 200)
        _ = await answer("/b", method: "HEAD")
        await expectEqual(answer("/b", ["Cache-Control": "max-stale, only-if-cached"]).status, 504)
    }

    @Test func `the proxy names itself behind others, and asks by the name of the origin without an Expect`() async {
        stub.respond(to: "/a", with: fresh())
        _ = await answer("/a", ["Via": "1.0 other", "Host": "proxy", "Expect": "100-continue", "X": "kept"])
        let asked = stub.requests.last?.headers
        expectEqual(asked?.values(for: "Via"), ["1.0 other", "1.1 raw-proxy"])
        expectEqual(["Host", "Expect", "X"].map { asked?[$0] }, [nil, nil, "kept"])
    }

    /// Fails at each call.
    private struct BrokenStore: RawResponseStoring {
        struct Broken: Error {}
        func responses(for target: CacheTarget) async throws -> [RawResponse] { throw Broken() }
        func store(_ response: RawResponse, for target: CacheTarget) async throws { throw Broken() }
        func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) async throws {}
        func remove(_ target: CacheTarget) async throws { throw Broken() }
    }

    @Test func `a body above the limit, an origin out of reach and a store that fails are a 502`() async {
        stub.respond(
            to: "/a", with: .ok(.init(repeating: 0, count: 11)), .failure(.cannotConnect), .ok(Array(0..<10)))
        await expectEqual(answer().status, 502)
        await expectEqual(answer().status, 502)
        await expectEqual(answer().status, 200)
        let broken = await answer("/a", from: BrokenStore())
        expectEqual(broken.status, 502)
        expectEqual(broken.headers["Cache-Status"], "raw-proxy; fwd=bypass")
    }
}

extension HTTPHeaders {
    /// The same fields and another one.
    fileprivate func with(_ name: String, _ value: String) -> HTTPHeaders {
        var headers = self
        headers.append(name: name, value: value)
        return headers
    }
}
