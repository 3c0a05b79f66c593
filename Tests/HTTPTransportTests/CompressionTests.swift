import Foundation
import HTTPTransport
import Synchronization
import Testing

/// Bodies that are small on the wire and large when decoded.
@Suite(.timeLimit(.minutes(10)))
struct CompressionTests {
    /// So many bytes of a device, as `gzip` packs them: zeros to about a thousandth, noise not at all.
    private static func packed(_ count: Int, of device: String = "zero") throws -> [UInt8] {
        let gzip = Process()
        let (input, output) = (Pipe(), Pipe())
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["sh", "-c", "head -c \(count) /dev/\(device) | gzip -1"]
        (gzip.standardInput, gzip.standardOutput) = (input, output)
        try gzip.run()
        let packed = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        gzip.waitUntilExit()
        return packed
    }

    private static func configuration(limit: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumBodyByteCount = limit
        return configuration
    }

    @Test(arguments: [1 << 20, 60 << 20]) func `A bomb ends at the limit, with the code for it`(limit: Int) async throws
    {
        let bomb = try Self.packed(96 << 20)
        #expect(bomb.count < 1_000_000)
        try await withOrigin(Self.configuration(limit: limit)) {
            $0.respond(200, ["Content-Encoding: gzip"], body: bomb)
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            var count = 0
            let error = await #expect(throws: HTTPError.self) {
                for try await chunk in response.body { count += chunk.count }
            }
            #expect(error?.code == .bodyTooLarge)
            #expect(count <= limit)
        }
    }

    @Test func `A body below the limit arrives whole, whatever it decodes to`() async throws {
        let (count, other) = (48 << 20, [UInt8](repeating: 3, count: 9_000))
        let packed = try Self.packed(count)
        try await withOrigin(Self.configuration(limit: count)) { exchange in
            if exchange.path == "/other" {
                exchange.respond(body: other)
            } else {
                exchange.respond(200, ["Content-Encoding: gzip"], body: packed)
            }
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            // Nobody reads yet, and others are served meanwhile.
            let bytes = try await client.send(HTTPRequest(url: origin.url("/other"))).body.collect(upTo: other.count)
            #expect(bytes == other)
            var sum = 0
            for try await chunk in response.body {
                #expect(chunk.allSatisfy { $0 == 0 })
                sum += chunk.count
            }
            #expect(sum == count)
        }
    }

    @Test func `A reader that does not read stops the origin, and reads everything later`() async throws {
        let count = 64 << 20
        let packed = try Self.packed(count, of: "urandom")
        let written = Mutex(0)
        try await withOrigin(Self.configuration(limit: 2 * count)) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
            for start in stride(from: 0, to: packed.count, by: 65_536) {
                let piece = Array(packed[start..<min(packed.count, start + 65_536)])
                guard exchange.write(piece) else { return exchange.close() }
                written.withLock { $0 += piece.count }
            }
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            // Another transfer runs a hundred times on the same loop meanwhile: the stopped one does not come along.
            let other = TestOrigin { $0.respond(body: [1]) }
            var before = -1
            while true {
                for _ in 0..<100 {
                    _ = try await client.send(HTTPRequest(url: other.url("/"))).body.collect(upTo: 1)
                }
                let now = written.withLock { $0 }
                if now == before { break }
                before = now
            }
            // What fits into the sockets and the pipe, far from the whole.
            #expect(before < packed.count / 2)
            #expect(try await response.body.collect(upTo: count).count == count)
            other.stop()
        }
    }
}
