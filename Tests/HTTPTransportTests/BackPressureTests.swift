// SPDX-License-Identifier: MIT
import HTTPTransport
import Synchronization
import Testing
import WebImageTesting

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
            var configuration = HTTPClient.Configuration.loopback
            configuration.maximumBodyByteCount = 1 << 30
            let patient = HTTPClient(configuration: configuration)
            let response = try await patient.send(HTTPRequest(url: origin.url("/")))
            // Another transfer runs a hundred times on the same loop meanwhile: the stopped one does not come along.
            let other = try OriginServer.byHand { $0.respond(body: [1]) }
            var before = -1
            while true {
                for _ in 0..<100 {
                    _ = try await patient.send(HTTPRequest(url: other.url("/"))).body.collect(upTo: 1)
                }
                let now = written.withLock { $0 }
                if now == before { break }
                before = now
            }
            // What fits into the sockets and the pipe, far from the whole.
            #expect(before < chunk.count * count / 2)
            var received = 0
            for try await bytes in response.body {
                #expect(bytes.count <= 512 << 10)
                // Every byte in its place: nothing is lost or repeated where the socket was stopped.
                #expect(bytes.first == chunk[received % chunk.count])
                #expect(bytes.last == chunk[(received + bytes.count - 1) % chunk.count])
                received += bytes.count
            }
            #expect(received == chunk.count * count)
            other.stop()
            await patient.shutdown()
        }
    }

    @Test func `Metrics count the bytes of a stopped body once`() async throws {
        let size = 4 << 20
        try await withOrigin {
            $0.respond(body: [UInt8](repeating: 1, count: size))
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            for _ in 0..<200 { await Task.yield() }
            #expect(try await response.body.collect(upTo: size).count == size)
            while response.metrics.total == nil { await Task.yield() }
            #expect(response.metrics.bytesReceived == size)
        }
    }
}
