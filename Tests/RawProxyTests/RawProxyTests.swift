// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import raw_proxy

@Suite(.timeLimit(.minutes(5))) struct RawProxyTests {
    private static func reply(_ control: String, _ body: [UInt8] = [1, 2, 3]) -> OriginReply {
        OriginReply(headers: ["Cache-Control": control, "ETag": "\"a\""], body: body)
    }

    @Test func `a second request is answered from the store, fields in order`() async throws {
        try await ProxyWorld.run { world in
            let headers: HTTPHeaders = [
                "B": "1", "Cache-Control": "max-age=60", "a": "2", "b": "3", "Keep-Alive": "x",
            ]
            let body = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
            world.origin.respond(to: "/a", with: OriginReply(headers: headers, body: body))
            let first = try await world.get("/a")
            expectEqual(first.cacheStatus, "raw-proxy; fwd=uri-miss; fwd-status=200; stored")
            expectEqual(first.body, body)
            world.clock.advance(by: 10)
            let second = try await world.get("/a")
            expectEqual(second.cacheStatus, "raw-proxy; hit; ttl=50")
            expectEqual(second("Age"), "10")
            expectEqual(second.body, body)
            let names = second.response.headers.map(\.name)
            expectEqual(names, ["B", "Cache-Control", "a", "b", "Content-Length", "Age", "Cache-Status", "Via"])
            expectEqual(world.origin.requestCount(for: "/a"), 1)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends the program in order, and the response is on disk`(
        signal: Int32
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "raw-proxy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withOriginServer { origin in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "X-Other"]
            origin.respond(to: "/a", with: OriginReply(headers: headers, body: [1, 2, 3]))
            origin.respond(to: "/b", with: .redirect(to: "/a"))
            let process = Process()
            let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.executableURL = tests.deletingLastPathComponent().appending(path: "raw-proxy")
            // A slash at the end of an address makes no difference.
            let end = signal == SIGINT ? "/" : ""
            process.arguments = ["http://127.0.0.1:\(origin.port)\(end)", "0", folder.path]
            let output = Pipe()
            process.standardOutput = output
            let (ends, exit) = AsyncStream.makeStream(of: Int32.self)
            process.terminationHandler = { process in
                exit.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
                exit.finish()
            }
            try process.run()
            defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            let (lines, line) = AsyncStream.makeStream(of: String.self)
            let handle = output.fileHandleForReading
            // Reading blocks, so it has a thread of its own.
            Thread.detachNewThread {
                line.yield(String(decoding: handle.availableData, as: UTF8.self))
                line.finish()
            }
            let words = try required(await lines.first { _ in true })
            let url = try required(words.split(separator: " ").first.flatMap { URL(string: $0 + "/a") })
            var configuration = HTTPClient.Configuration()
            (configuration.addressPolicy, configuration.maximumRedirects) = (.unrestricted, 0)
            let client = HTTPClient(configuration: configuration)
            let answer = try await client.send(HTTPRequest(url: url, headers: ["X-Other": "1"]))
            expectEqual(answer.headers["Cache-Status"], "raw-proxy; fwd=uri-miss; fwd-status=200; stored")
            try await expectEqual(answer.body.collect(upTo: 10), [1, 2, 3])
            // Where a redirect leads, the client asks itself.
            let other = try required(URL(string: "/b", relativeTo: url)?.absoluteURL)
            try await expectEqual(client.send(HTTPRequest(url: other)).headers["Location"], "/a")
            kill(process.processIdentifier, signal)
            await expectEqual(ends.first { _ in true }, 0)
            // Entries are in subfolders that have two letters.
            let subfolders = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.count == 2 }
            let entries = try subfolders.flatMap {
                try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: $0).path)
            }
            expectEqual(entries.count, 1, "the response is on disk")
            await client.shutdown()
        }
    }

    @Test func `a stale response is confirmed with both validators`() async throws {
        try await ProxyWorld.run { world in
            let modified = world.clock.now.advanced(by: -1_000).description
            world.origin.respond(to: "/a") { request in
                guard request.headers["If-None-Match"] == "\"a\"", request.headers["If-Modified-Since"] == modified
                else {
                    return OriginReply(
                        headers: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": modified], body: [9])
                }
                return OriginReply(status: 304, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=600", "X": "new"])
            }
            _ = try await world.get("/a")
            world.clock.advance(by: 60)
            let confirmed = try await world.get("/a")
            expectEqual(confirmed.status, 200)
            expectEqual(confirmed.body, [9])
            expectEqual(confirmed("X"), "new")
            expectEqual(confirmed.cacheStatus, "raw-proxy; fwd=stale; fwd-status=304")
            world.clock.advance(by: 599)
            try await expectEqual(world.get("/a").cacheStatus, "raw-proxy; hit; ttl=1")
            try await expectEqual(world.get("/a", ["If-None-Match": "\"a\""]).status, 304)
            expectEqual(world.origin.requestCount(for: "/a"), 2)
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "FROB"])
    func `an unsafe method reaches the origin and ends what is stored`(method: String) async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a") {
                let length = $0.headers["Content-Length"] ?? ""
                let reply = OriginReply(headers: ["M": $0.method, "L": length], body: Array($0.body.prefix(2)))
                return $0.method == "GET" ? Self.reply("max-age=60") : reply
            }
            _ = try await world.get("/a")
            let body = [7, 8] + [UInt8](repeating: 9, count: 1 << 20)
            let changed = try await world.get("/a", method: method, body: body)
            expectEqual(changed.body, [7, 8])
            expectEqual(changed("L"), "\(2 + 1 << 20)")
            expectEqual(changed("M"), method)
            expectEqual(changed.cacheStatus, "raw-proxy; fwd=method; fwd-status=200")
            try await expectEqual(world.get("/a").cacheStatus, "raw-proxy; fwd=uri-miss; fwd-status=200; stored")
        }
    }

    @Test func `a body passes in the coding in which it arrives`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a") { request in
                let asked = request.headers["Accept-Encoding"] ?? "none"
                let headers: HTTPHeaders = [
                    "Content-Encoding": "br", "Cache-Control": "max-age=60", "Vary": "Accept-Encoding", "Asked": asked,
                ]
                return OriginReply(headers: headers, body: [0xFF, 0, 1])
            }
            for _ in 0..<2 {
                let seen = try await world.get("/a", ["Accept-Encoding": "br"])
                expectEqual(seen.body, [0xFF, 0, 1])
                expectEqual(seen("Content-Encoding"), "br")
                expectEqual(seen("Asked"), "br")
            }
            try await expectEqual(world.get("/a")("Asked"), "none")
            expectEqual(world.origin.requestCount(for: "/a"), 2)
        }
    }

    @Test func `an interim response is passed on`() async throws {
        try await ProxyWorld.run { world in
            let hints = Self.reply("no-store").interim(status: 103, headers: ["Link": "</a.css>"])
            world.origin.respond(to: "/a", with: hints)
            let seen = try await world.get("/a")
            expectEqual(seen.response.interimResponses.map(\.status), [103])
            expectEqual(seen.response.interimResponses.first?.headers["Link"], "</a.css>")
            expectEqual(seen.status, 200)
            // Also before the answer that confirms what is kept.
            let confirmed = OriginReply(status: 304, headers: ["ETag": "\"a\""]).interim(status: 103, headers: [:])
            world.origin.respond(to: "/b", inTurn: Self.reply("max-age=60"), confirmed)
            _ = try await world.get("/b")
            world.clock.advance(by: 60)
            let again = try await world.get("/b")
            expectEqual(again.response.interimResponses.map(\.status), [103])
            expectEqual(again.cacheStatus, "raw-proxy; fwd=stale; fwd-status=304")
        }
    }

    @Test func `a 304 that confirms nothing stored is no answer for a client that has not asked for one`() async throws
    {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a") { request in
                guard request.headers["If-None-Match"] == nil else {
                    return OriginReply(status: 304, headers: ["ETag": "\"b\""])
                }
                return Self.reply("max-age=60", [UInt8(request.attempt)])
            }
            _ = try await world.get("/a")
            world.clock.advance(by: 60)
            let asked = try await world.get("/a")
            expectEqual(asked.status, 200)
            expectEqual(asked.body, [3])
            expectEqual(world.origin.requestCount(for: "/a"), 3)
        }
    }

    @Test func `a HEAD is answered from a stored GET`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a", with: Self.reply("max-age=60"))
            _ = try await world.get("/a")
            let head = try await world.get("/a", method: "HEAD")
            expectEqual(head.cacheStatus, "raw-proxy; hit; ttl=60")
            expect(head.body.isEmpty)
            expectEqual(head("Content-Length"), "3")
        }
    }

    @Test func `only-if-cached never reaches the origin`() async throws {
        try await ProxyWorld.run { world in
            world.origin.respond(to: "/a", with: Self.reply("max-age=60"))
            let none = try await world.get("/a", ["Cache-Control": "only-if-cached"])
            expectEqual(none.status, 504)
            expectEqual(none.cacheStatus, "raw-proxy; detail=only-if-cached")
            _ = try await world.get("/a")
            try await expectEqual(world.get("/a", ["Cache-Control": "only-if-cached"]).status, 200)
            expectEqual(world.origin.requestCount(for: "/a"), 1)
        }
    }

    @Test func `a stale response stands in for a failing origin`() async throws {
        try await ProxyWorld.run { world in
            let failing = OriginReply.text("down", status: 503)
            world.origin.respond(
                to: "/a", inTurn: Self.reply("max-age=60, stale-if-error=100"), failing, .hangUp, .hangUp, failing)
            _ = try await world.get("/a")
            world.clock.advance(by: 90)
            for answered in ["fwd-status=503; ", ""] {
                let seen = try await world.get("/a")
                expectEqual(seen.status, 200)
                expectEqual(seen.body, [1, 2, 3])
                expectEqual(seen.cacheStatus, "raw-proxy; fwd=stale; \(answered)ttl=-30")
            }
            world.clock.advance(by: 100)
            try await expectEqual(world.get("/a").status, 503)
        }
    }

    @Test func `a stale response is refreshed behind the client's back`() async throws {
        try await ProxyWorld.run { world in
            let fresh = Self.reply("max-age=60, stale-while-revalidate=60", [4])
            world.origin.respond(to: "/a", inTurn: Self.reply("max-age=60, stale-while-revalidate=60"), fresh)
            _ = try await world.get("/a")
            world.clock.advance(by: 61)
            let stale = try await world.get("/a")
            expectEqual(stale.cacheStatus, "raw-proxy; hit; ttl=-1")
            expectEqual(stale.body, [1, 2, 3])
            await expect(world.origin.waitForRequests(count: 2, for: "/a"))
        }
    }
}
