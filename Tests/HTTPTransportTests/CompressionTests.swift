// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Bodies that are small on the wire and large when decoded.
@Suite(.timeLimit(.minutes(10)))
struct CompressionTests {
    /// So many bytes of a device, as `gzip` packs them: zeros to about a thousandth, noise not at all.
    private static func packed(_ count: Int, of device: String = "zero") throws -> [UInt8] {
        try packed("head -c \(count) /dev/\(device) | gzip -1")
    }

    /// A bomb, packed once for all tests.
    private static let bomb = Result { try packed(96 << 20) }

    /// What a shell command prints.
    private static func packed(_ command: String) throws -> [UInt8] {
        let gzip = Process()
        let (input, output) = (Pipe(), Pipe())
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["sh", "-c", command]
        (gzip.standardInput, gzip.standardOutput) = (input, output)
        try gzip.run()
        let packed = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        gzip.waitUntilExit()
        return packed
    }

    private static func configuration(limit: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumBodyByteCount = limit
        configuration.maximumCompressionRatio = .max
        return configuration
    }

    @Test(arguments: [1 << 20, 60 << 20]) func `A bomb ends at the limit, with the code for it`(limit: Int) async throws
    {
        let bomb = try Self.bomb.get()
        expect(bomb.count, <, 1_000_000)
        try await withOrigin(Self.configuration(limit: limit)) {
            $0.respond(200, ["Content-Encoding: gzip"], body: bomb)
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            var count = 0
            await expectHTTPError(.bodyTooLarge) { for try await chunk in response.body { count += chunk.count } }
            expect(count, <=, limit)
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
            let response = try await client.get(origin.url("/"))
            // The body is not read yet, and others are served meanwhile.
            let bytes = try await client.get(origin.url("/other")).body.collect(upTo: other.count)
            expectEqual(bytes, other)
            var sum = 0
            for try await chunk in response.body {
                expect(chunk.isFilled(with: 0))
                sum += chunk.count
            }
            expectEqual(sum, count)
        }
    }

    @Test func `A reader that does not read stops the origin, and reads everything later`() async throws {
        let count = 32 << 20
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
            let response = try await client.get(origin.url("/"))
            // Another transfer runs a hundred times on the same loop meanwhile: the stopped one does not come along.
            let other = try OriginServer.byHand { $0.respond(body: [1]) }
            var before = -1
            while true {
                for _ in 0..<100 {
                    _ = try await client.get(other.url("/")).body.collect(upTo: 1)
                }
                let now = written.withLock { $0 }
                if now == before { break }
                before = now
            }
            // What fits into the sockets and the pipe, far from the whole.
            expect(before, <, packed.count / 2)
            try await expectEqual(response.body.collect(upTo: count).count, count)
            other.stop()
        }
    }

    /// Sends one gzip body and reads the answer to its end.
    private static func receive(
        _ body: [UInt8], encoding: String = "gzip", _ configuration: HTTPClient.Configuration = .loopback
    ) async throws -> Result<[UInt8], HTTPError> {
        var result: Result<[UInt8], HTTPError>?
        try await withOrigin(configuration) {
            $0.respond(200, ["Content-Encoding: \(encoding)"], body: body)
        } _: { origin, client in
            do {
                let response = try await client.get(origin.url("/"))
                result = .success(try await response.body.collect(upTo: .max))
            } catch let error as HTTPError { result = .failure(error) }
        }
        return try required(result)
    }

    private static func code(_ result: Result<[UInt8], HTTPError>) -> HTTPError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func `a body above the ratio ends, whatever the ratio is, and noise and small bodies pass`() async throws {
        // By default long before the limit.
        expectEqual(Self.code(try await Self.receive(Self.packed(32 << 20))), .compressionRatioExceeded)
        let (bomb, small) = (try Self.packed(2 << 20), try Self.packed(1 << 20))
        var configuration = HTTPClient.Configuration.loopback
        for ratio in [Int.min, 0, 1, 5] {
            configuration.maximumCompressionRatio = ratio
            let outcome = try await Self.receive(bomb, configuration)
            expectEqual(Self.code(outcome), .compressionRatioExceeded, "\(ratio)")
            // Too small for a bomb.
            try await expectEqual(Self.receive(small, configuration).get().count, 1 << 20, "\(ratio)")
        }
        configuration.maximumCompressionRatio = 1
        try await expectEqual(Self.receive(Self.packed(2 << 20, of: "urandom"), configuration).get().count, 2 << 20)
    }

    @Test(arguments: ["gzip, gzip", "gzip,gzip,gzip,gzip", "br", "zstd", "deflate", "compress", "gzip, br", "\"gzip\""])
    func `a coding that was not asked for, or several of them, are refused`(_ encoding: String) async throws {
        let bomb = try Self.packed("head -c 1000000 /dev/zero | gzip -9 | gzip -9")
        expectEqual(Self.code(try await Self.receive(bomb, encoding: encoding)), .invalidResponse)
    }

    @Test func `gzip is decoded in every spelling, member by member, and nothing may follow it`() async throws {
        for encoding in ["gzip", "x-gzip", "GZIP", " identity , gzip "] {
            let bytes = try await Self.receive(Self.packed("printf abc | gzip"), encoding: encoding).get()
            expectEqual(bytes, Array("abc".utf8), "\(encoding)")
        }
        let members = try Self.packed("printf abc | gzip; printf '' | gzip; printf de | gzip")
        try await expectEqual(Self.receive(members).get(), Array("abcde".utf8))
        expect(Self.code(try await Self.receive(Self.packed("printf abc | gzip; printf x"))) != nil)
        expectEqual(
            Self.code(try await Self.receive(Self.packed("printf abc | gzip; printf rubbish"))), .invalidResponse)
        try await expectEqual(Self.receive([]).get(), [])
    }

    @Test func `a gzip stream that is cut anywhere is truncated`() async throws {
        let packed = try Self.packed("seq 1 40 | gzip")
        let cuts = Mutex(1)
        try await withOrigin {
            let cut = cuts.withLock { $0 }
            $0.respond(200, ["Content-Encoding: gzip"], body: Array(packed[..<cut]))
        } _: { origin, client in
            for cut in 1..<packed.count {
                cuts.withLock { $0 = cut }
                await expectHTTPError(.truncatedBody) {
                    try await client.get(origin.url("/")).body.collect(upTo: 1_000)
                }
            }
        }
    }

    @Test func `a head of gzip that never ends counts against the limit`() async throws {
        let sent = Mutex(0)
        try await withOrigin(.loopback { $0.maximumBodyByteCount = 1 << 20 }) { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
            // A member with a file name, which goes on.
            exchange.write([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 0])
            while sent.withLock({ $0 }) < 200 << 20, exchange.write([UInt8](repeating: 0x61, count: 65_536)) {
                sent.withLock { $0 += 65_536 }
            }
            exchange.close()
        } _: { origin, client in
            await expectHTTPError(.bodyTooLarge) { try await client.get(origin.url("/")).body.collect(upTo: .max) }
        }
    }

    @Test func `gzip is asked for, but not for a part of a content`() async throws {
        try await withOrigin {
            $0.respond(200, ["X-Seen: " + $0.headers.values(for: "Accept-Encoding").joined(separator: "|")])
        } _: { origin, client in
            let cases: [(HTTPHeaders, String)] = [
                ([:], "gzip"), (["Range": "bytes=0-9"], "identity"), (["accept-encoding": "identity"], "identity"),
            ]
            for (headers, expected) in cases {
                let response = try await client.send(HTTPRequest(url: origin.url("/"), headers: headers))
                expectEqual(response.headers["X-Seen"], expected)
            }
        }
    }

    @Test func `a body that fails while it is read ends its transfer, though its response is held`() async throws {
        // No other limit ends the transfer.
        let patient = HTTPClient.Configuration.loopback {
            ($0.idleTimeout, $0.totalTimeout) = (.seconds(4_000), .seconds(4_000))
        }
        try await withOrigin(patient) { exchange in
            let fields = ["/gzip": "Content-Encoding: gzip\r\n", "/told": "Content-Length: 5000\r\n"]
            exchange.write("HTTP/1.1 200 OK\r\n\(fields[exchange.path] ?? "")\r\n")
            exchange.write([UInt8](repeating: 7, count: 1_000))
            exchange.waitForClose()
        } _: { origin, client in
            let damaged = try await client.get(origin.url("/gzip"))
            var chunks = damaged.body.makeAsyncIterator()
            await expectHTTPError(.invalidResponse) { try await chunks.next() }
            while await client.transferCount > 0 { await Task.yield() }
            var long: [HTTPResponse] = []
            for path in ["/long", "/told"] {
                let response = try await client.get(origin.url(path))
                await expectHTTPError(.bodyTooLarge) { try await response.body.collect(upTo: 999) }
                while await client.transferCount > 0 { await Task.yield() }
                long.append(response)
            }
            withExtendedLifetime([damaged] + long) {}
        }
    }
}
