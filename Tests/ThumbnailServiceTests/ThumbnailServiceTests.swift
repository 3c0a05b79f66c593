// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

/// The example runs as a process of its own.
@Suite(.timeLimit(.minutes(2))) struct ThumbnailServiceTests {
    private static func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        let client = HTTPClient(configuration: configuration)
        try await body(client)
        await client.shutdown()
    }

    private static func status(
        _ url: URL, _ client: HTTPClient, method: String = "GET", headers: HTTPHeaders = [:], body: [UInt8]? = nil
    ) async throws -> Int {
        let request = HTTPRequest(url: url, method: method, headers: headers, body: body)
        return try await client.send(request).collected(upTo: 1_000_000).status
    }

    @Test func `a signed address is a picture, a known one has no body, and others are refused`() async throws {
        let service = try await RunningService()
        try await Self.withClient { client in
            let address = service.addresses[1]
            let answer = try await client.send(HTTPRequest(url: address)).collected(upTo: 1_000_000)
            expectEqual(answer.status, 200)
            expectEqual(answer.headers["Content-Type"], "image/webp")
            expectEqual(answer.headers["Cache-Control"], "public, max-age=3600")
            expect(answer.bytes.count, >, 1_000)
            try expectEqual(ImageCoders.default.properties(of: answer.bytes).size, PixelSize(width: 320, height: 240))
            let tag = try required(answer.headers["ETag"])
            let known = HTTPRequest(url: address, headers: ["If-None-Match": "\"other\", W/\(tag)"])
            let unchanged = try await client.send(known).collected(upTo: 1_000_000)
            expectEqual(unchanged.status, 304)
            for name in ["ETag", "Cache-Control", "Content-Type"] {
                expectEqual(unchanged.headers[name], answer.headers[name], "\(name)")
            }
            expectNil(unchanged.headers["Content-Length"])
            expectEmpty(unchanged.bytes)
            try await expectEqual(Self.status(address, client, headers: ["If-None-Match": "*"]), 304)
            let head = try await client.send(HTTPRequest(url: address, method: "HEAD")).collected(upTo: 10)
            expectEqual(head.headers["Content-Length"], String(answer.bytes.count))
            expectEmpty(head.bytes)

            try await expectEqual(Self.status(address, client, headers: ["If-None-Match": "\"other\""]), 200)
            try await expectEqual(Self.status(address, client, method: "POST", body: [1]), 413)
            let parts = address.path(percentEncoded: true).split(separator: "/")
            for path in ["/", "/large/\(parts[1])/\(parts[2])", "/medium/unsigned/\(parts[2])"] {
                let forged = try required(URL(string: path, relativeTo: service.addresses[0]))
                try await expectEqual(Self.status(forged, client), 403)
            }
        }
        service.terminate()
        await expectEqual(service.status(), 0)
    }

    @Test func `errors have their status, and with a key the service takes no source of its own network`() async throws
    {
        try await withOriginServer { origin in
            origin.respond(to: "/text", with: .ok(Array("text".utf8), type: "image/jpeg"))
            let sources = [origin.url("/none"), origin.url("/text")]
            let service = try await RunningService(sources: sources)
            let strict = try await RunningService(sources: sources, key: String(repeating: "0f", count: 32))
            try await Self.withClient { client in
                try await expectEqual(Self.status(service.addresses[1], client), 404)
                try await expectEqual(Self.status(service.addresses[2], client), 415)
                let count = origin.requestCount
                let refused = try await client.send(HTTPRequest(url: strict.addresses[1])).collected(upTo: 1_000)
                expectEqual(refused.status, 403)
                expectEqual(refused.headers["Content-Type"], "text/plain")
                expect(!String(decoding: refused.bytes, as: UTF8.self).contains("127.0.0.1"))
                expectEqual(origin.requestCount, count)
            }
        }
        let keyless = try await RunningService(key: "0f")
        await expectEqual(keyless.status(), 1)
    }

    @Test func `a client that leaves ends its load, and no other`() async throws {
        try await withOriginServer { origin in
            let gate = OriginGate()
            let photo = try ImageFactory.encoded(width: 640, height: 480, seed: 7)
            for path in ["/a", "/b"] { origin.respond(to: path, with: .ok(photo).held(at: gate)) }
            let service = try await RunningService(sources: [origin.url("/a"), origin.url("/b")])
            let (first, second) = (service.addresses[1], service.addresses[2])
            try await Self.withClient { client in
                let stayer = Task { try await Self.status(first, client) }
                await gate.waitUntilReached()
                let leaver = Task { try await Self.status(second, client) }
                await gate.waitUntilReached(count: 2)
                leaver.cancel()
                await expect(origin.waitUntilClosedByPeer(count: 1))
                // A load that only a timeout ends would not be the first one to end.
                gate.open()
                try await expectEqual(stayer.value, 200)
                try await expectEqual(Self.status(second, client), 200)
                expectEqual(origin.requestCount(for: "/a"), 1)
                expectEqual(origin.requestCount(for: "/b"), 2)
            }
        }
    }

    @Test func `SIGTERM ends the service when the calls that have come are answered`() async throws {
        try await withOriginServer { origin in
            let gate = OriginGate()
            let photo = try ImageFactory.encoded(width: 640, height: 480, seed: 7)
            origin.respond(to: "/photo", with: .ok(photo).held(at: gate))
            let service = try await RunningService(sources: [origin.url("/photo")])
            try await Self.withClient { client in
                async let status = Self.status(service.addresses[1], client)
                await gate.waitUntilReached()
                service.terminate()
                while try await Self.status(service.addresses[0], client) != 503 { await Task.yield() }
                gate.open()
                try await expectEqual(status, 200)
                await expectEqual(service.status(), 0)
                await expectError(HTTPError.self) { try await Self.status(service.addresses[0], client) }
            }
        }
    }

    @Test func `clients that take every connection before the first thumbnail is made have their answers`() async throws
    {
        // It has room for fewer of them than the client has connections.
        let service = try await RunningService(limit: 55)
        try await Self.withClient { client in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.status(service.addresses[1], client) } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            expectEqual(statuses, Array(repeating: 200, count: 8))
        }
    }

    @Test func `clients that send half a request do not keep others out`() async throws {
        try await Descriptors.prepare(needing: 400)
        let service = try await RunningService(limit: 160)
        let port = try required(service.addresses[0].port)
        let slow = try (0..<300).map { _ in try Self.connect(to: UInt16(port)) }
        defer { for descriptor in slow { close(descriptor) } }
        try await Self.withClient { client in
            try await expectEqual(Self.status(service.addresses[1], client), 200)
        }
    }

    /// A connection with half a request.
    private static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe Glibc.connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count)) == 0
        }
        let half = Array("GET /medium".utf8)
        let sent = unsafe send(descriptor, half, half.count, Int32(MSG_NOSIGNAL))
        try #require(isConnected && sent == half.count)
        return descriptor
    }
}
