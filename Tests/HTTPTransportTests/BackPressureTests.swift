// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct BackPressureTests {
    @Test func `A reader that does not read stops the origin, and reads everything later`() async throws {
        let chunk = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let count = 1_024
        let written = Mutex(0)
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: \(chunk.count * count)\r\n\r\n")
            for _ in 0..<count {
                guard exchange.write(chunk) else { return exchange.close() }
                written.withLock { $0 += chunk.count }
            }
        } _: { origin, client in
            let patient = HTTPClient(configuration: .loopback { $0.maximumBodyByteCount = 1 << 30 })
            let response = try await patient.get(origin.url("/"))
            // Another transfer runs a hundred times on the same loop meanwhile: the stopped one does not come along.
            let other = try OriginServer.byHand { $0.respond(body: [1]) }
            var before = -1
            while true {
                for _ in 0..<100 {
                    _ = try await patient.get(other.url("/")).body.collect(upTo: 1)
                }
                let now = written.withLock { $0 }
                if now == before { break }
                before = now
            }
            // What fits into the sockets and the pipe, far from the whole.
            expect(before, <, chunk.count * count / 2)
            var received = 0
            for try await bytes in response.body {
                expect(bytes.count, <=, 512 << 10)
                // Every byte in its place: nothing is lost or repeated where the socket was stopped.
                expectEqual(bytes.first, chunk[received % chunk.count])
                expectEqual(bytes.last, chunk[(received + bytes.count - 1) % chunk.count])
                received += bytes.count
            }
            expectEqual(received, chunk.count * count)
            other.stop()
            await patient.shutdown()
        }
    }

    @Test func `Metrics count the bytes of a stopped body once`() async throws {
        let size = 4 << 20
        try await withOrigin(handler: { $0.respond(body: [UInt8](repeating: 1, count: size)) }) { origin, client in
            let response = try await client.get(origin.url("/"))
            for _ in 0..<200 { await Task.yield() }
            try await expectEqual(response.body.collect(upTo: size).count, size)
            while response.metrics.total == nil { await Task.yield() }
            expectEqual(response.metrics.bytesReceived, size)
        }
    }

    @Test(
        .enabled(if: Nginx.isInstalled || Nginx.isRequired, "Needs nginx and openssl."),
        arguments: ["identity", "gzip"], CurlMulti.stopsStreams ? [nil, Nginx.Certificate.good] : [nil])
    func `a gigabyte that no reader takes keeps memory flat`(
        coding: String, certificate: Nginx.Certificate?
    ) async throws {
        let picture = [UInt8](repeating: 1, count: 300_000)
        let nginx = try Nginx(files: ["picture": picture], zeros: ["endless": 1 << 30, "packed": 1 << 30])
        defer { nginx.stop() }
        var configuration = HTTPClient.Configuration.loopback
        configuration.tls = .authorities(in: nginx.authority)
        configuration.maximumCompressionRatio = .max
        configuration.maximumBodyByteCount = 2 << 30
        let client = HTTPClient(configuration: configuration)
        // What it drops ends when it returns.
        try await Self.leaveUnread(coding, of: client) { name in
            HTTPRequest(url: nginx.url(name, certificate), headers: ["Accept-Encoding": coding])
        }
        await client.expectEmptyTables()
        await client.shutdown()
    }

    private static func leaveUnread(
        _ coding: String, of client: HTTPClient, _ request: (String) -> HTTPRequest
    ) async throws {
        let before = ResidentMemory.byteCount
        let unread = try await client.send(request(coding == "gzip" ? "/packed" : "/endless"))
        // Other transfers run on the same loop, and over HTTP/2 on the same connection, until the memory stays the
        // same. A body that is not stopped takes a share of the bytes meanwhile.
        var (last, now) = (0, before)
        while abs(now - last) > 256 << 10 {
            for _ in 0..<20 { _ = try await client.send(request("/picture")).body.collect(upTo: 300_000) }
            (last, now) = (now, ResidentMemory.byteCount)
        }
        expect(now - before, <, 64 << 20)
        expectEqual(unread.status, 200)
        guard coding == "identity" else { return }
        // Goes on beyond what the origin was allowed to send at first.
        var count = 0
        for try await chunk in unread.body {
            count += chunk.count
            if count >= 48 << 20 { break }
        }
        expect(count, >=, 48 << 20)
    }

    @Test(
        arguments: [
            (0x07_58_00, false), (0x07_58_01, true), (0x08_00_01, false), (0x08_0D_00, false), (0x08_0E_00, true),
            (0x08_0F_00, true), (0x08_10_00, false), (0x08_11_00, true),
        ] as [(UInt32, Bool)])
    func `a version of libcurl with a known fault stops no stream`(_ version: UInt32, _ stops: Bool) {
        expectEqual(CurlMulti.canStopStreams(version: version), stops)
    }
}
