// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What stays between two requests over one connection: the connection, and nothing of the request.
@Suite(.timeLimit(.minutes(5)))
struct KeptConnectionTests {
    @Test func `nothing of a request is in the next one over its connection`() async throws {
        let received = Mutex<[[String]]>([])
        try await withOrigin { exchange in
            let fields = ["Accept", "User-Agent", "Accept-Encoding", "Content-Type"].map {
                exchange.headers[$0] ?? ""
            }
            let seen = [exchange.method, exchange.path] + fields + [String(decoding: exchange.body, as: UTF8.self)]
            received.withLock { $0.append(seen) }
            exchange.respond(body: [1])
        } _: { origin, client in
            var expected: [[String]] = []
            for round in 0..<3 {
                for (index, change) in Self.changes.enumerated() {
                    // Plain ones before and after, so that options are kept when this one comes and when it has gone.
                    for (kind, part) in [(Self.Change(), "a"), (change, "b"), (Self.Change(), "c")] {
                        let path = "/\(round)/\(index)/\(part)"
                        let bytes = try await client.bytes(kind.request(origin.url(path)))
                        expectEqual(bytes, (kind.isHead ? [] : [1]))
                        expected.append(kind.seen(path))
                    }
                }
            }
            expectEqual(received.withLock { $0 }, expected)
            expectEqual(origin.connectionCount, 1)
        }
    }

    @Test func `a connection that ends under each request is replaced however often`() async throws {
        let count = Mutex(0)
        try await withOrigin {
            let number = count.withLock {
                $0 += 1
                return $0
            }
            // Two answers on each connection. The third request is sent again, over another one.
            number.isMultiple(of: 3) ? $0.close() : $0.respond(body: [1])
        } _: { origin, client in
            for _ in 0..<40 {
                let bytes = try await client.bytes(HTTPRequest(url: origin.url("/")))
                expectEqual(bytes, [1])
            }
            expectEqual(origin.connectionCount, 20)
        }
    }

    @Test func `an idle socket stays registered until something happens to it`() throws {
        let loop = EventLoop(name: "test-loop")
        var sockets = WatchedSockets(of: loop)
        var pair: [Int32] = [0, 0]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { pair.forEach { close($0) } }
        let socket = pair[0]
        /// Whether the kernel has it: a second registration is refused. The probe leaves things as they were.
        let isRegistered = {
            guard loop.watch(socket, for: .reading, token: 0, isNew: true) else { return true }
            loop.forget(socket)
            return false
        }
        var isInUse: Bool { sockets.isInUse(socket) }
        /// Announces the socket; the kernel must agree.
        func announce(_ interest: Readiness = .reading) {
            let isWatched = sockets.announce(socket, for: interest, token: 0)
            expect(isWatched)
        }
        sockets.opened(socket)
        announce()
        expect(isInUse)
        expect(isRegistered())
        sockets.withdraw(socket)
        expect(isRegistered())
        announce()
        expect(isInUse)
        // A transfer that is stopped wants nothing, and is registered all the same.
        announce([])
        announce()
        sockets.withdraw(socket)
        expect(!isInUse)
        expect(!isRegistered())
        announce()
        expect(isRegistered())
        sockets.willClose(socket)
        expect(!isRegistered())
        // The number of another kind of socket, of whose end nothing is heard.
        announce()
        sockets.withdraw(socket)
        expect(!isRegistered())
    }

    /// A request that differs from the plain one, and what the origin sees of it.
    private struct Change {
        var method = "GET"
        var headers: HTTPHeaders = [:]
        var body: String?
        var decodes = true

        var isHead: Bool { method == "HEAD" }

        func request(_ url: URL) -> HTTPRequest {
            var request = HTTPRequest(url: url, method: method, headers: headers, body: body.map { Array($0.utf8) })
            if !decodes { request.options.decodesContent = false }
            return request
        }

        func seen(_ path: String) -> [String] {
            let encoding = headers["Accept-Encoding"] ?? (decodes ? "gzip" : "")
            return [
                method, path, headers["Accept"] ?? "*/*", headers["User-Agent"] ?? "swift-web-image", encoding,
                headers["Content-Type"] ?? "", body ?? "",
            ]
        }
    }

    private static let changes = [
        Change(headers: ["Accept": "image/png"]), Change(headers: ["User-Agent": "other/1"]),
        Change(headers: ["Accept-Encoding": "br"]), Change(method: "HEAD"), Change(method: "DELETE"),
        Change(method: "POST", headers: ["Content-Type": "text/plain"], body: "abc"),
        Change(method: "GET", headers: ["Content-Type": "text/plain"], body: "abc"), Change(decodes: false),
    ]
}
