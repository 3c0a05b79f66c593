// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// HTTP/2, TLS and compression against a server that others wrote.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(
        if: Nginx.isInstalled || Nginx.isRequired,
        "Install nginx and openssl (apt install nginx openssl) to run these; REQUIRE_NGINX=1 fails them without."))
struct NginxTests {
    private static let noise = SeededGenerator.bytes(count: 2_000_000)
    private static let picture = (0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    private static let text = [UInt8](repeating: UInt8(ascii: "a"), count: 200_000)

    private static func configuration(_ tls: TLSPolicy) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.loopback
        configuration.tls = tls
        // The big file is one byte, over and over.
        configuration.maximumCompressionRatio = .max
        return configuration
    }

    /// Runs a test with a server that is up and a client that trusts its authority.
    private static func withNginx(
        _ body: (Nginx, HTTPClient) async throws -> Void
    ) async throws {
        let nginx = try Nginx(files: ["noise": noise, "picture": picture, "text": text], zeros: ["bomb": 24 << 20])
        let client = HTTPClient(configuration: configuration(.authorities(in: nginx.authority)))
        do {
            try await body(nginx, client)
        } catch {
            await client.shutdown()
            nginx.stop()
            throw error
        }
        await client.shutdown()
        nginx.stop()
    }

    @Test func `TLS and HTTP/2 come by themselves, and transfers share a connection`() async throws {
        try await Self.withNginx { nginx, client in
            let first = try await client.get(nginx.url("/picture", .good))
            try await expectEqual(first.body.collect(upTo: Self.picture.count), Self.picture)
            expectEqual(first.metrics.httpVersion, "2")
            expect(first.metrics.tls, >, .zero)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let response = try await client.get(nginx.url("/picture", .good))
                        try await expectEqual(response.body.collect(upTo: Self.picture.count), Self.picture)
                        expectEqual(response.metrics.httpVersion, "2")
                        return response.metrics.reusedConnection
                    }
                }
                for try await reused in group { expect(reused) }
            }
        }
    }

    @Test func `Without HTTP/2 it is HTTP/1.1 over TLS, and a new connection resumes the session of an earlier one`()
        async throws
    {
        try await Self.withNginx { nginx, _ in
            var configuration = Self.configuration(.authorities(in: nginx.authority))
            configuration.allowsHTTP2 = false
            let client = HTTPClient(configuration: configuration)
            // nginx ends each of these connections, and says "r" of a resumed session.
            for expected in [".", "r", "r"] {
                let bytes = try await client.bytes(HTTPRequest(url: nginx.url("/session", .good)))
                expectEqual(String(decoding: bytes, as: UTF8.self), expected)
            }
            let response = try await client.get(nginx.url("/picture", .good))
            try await expectEqual(response.body.collect(upTo: Self.picture.count), Self.picture)
            expectEqual(response.metrics.httpVersion, "1.1")
            await client.shutdown()
        }
    }

    @Test func `each policy trusts the certificates that it names, and every refusal has its code`() async throws {
        try await Self.withNginx { nginx, _ in
            let trusting = TLSPolicy.authorities(in: nginx.authority)
            let both = TLSPolicy.system(addingAuthoritiesIn: nginx.authority)
            let missing = TLSPolicy.authorities(in: "/nowhere/ca.pem")
            let cases: [(TLSPolicy, Nginx.Certificate, HTTPError.Code?)] = [
                (trusting, .expired, .certificateExpired), (trusting, .otherHost, .certificateHostMismatch),
                (.system, .good, .certificateNotTrusted), (.system, .otherHost, .certificateNotTrusted),
                (both, .good, nil), (both, .expired, .certificateExpired), (missing, .good, .certificateNotTrusted),
                (.insecure, .good, nil), (.insecure, .expired, nil), (.insecure, .otherHost, nil),
            ]
            for (row, (policy, certificate, expected)) in cases.enumerated() {
                let client = HTTPClient(configuration: Self.configuration(policy))
                let request = HTTPRequest(url: nginx.url("/text", certificate))
                if let expected {
                    let error = await expectHTTPError(expected, "row \(row): \(certificate)") {
                        try await client.send(request)
                    }
                    // That its file is missing is said so.
                    if policy == missing { expectEqual(error?.message.contains("/nowhere/ca.pem"), true) }
                } else {
                    let response = try await client.send(request)
                    expectEqual(response.status, 200, "row \(row): \(certificate)")
                    let bytes = try await response.body.collect(upTo: Self.text.count)
                    expect(bytes == Self.text, "row \(row): \(certificate)")
                }
                await client.shutdown()
            }
        }
    }

    @Test func `Slow readers on one connection each get every byte once`() async throws {
        try await Self.withNginx { nginx, client in
            try await withThrowingTaskGroup { group in
                for worker in 0..<16 {
                    group.addTask {
                        for round in 0..<3 {
                            let request = HTTPRequest(
                                url: nginx.url("/noise", .good),
                                headers: (worker + round).isMultiple(of: 3) ? ["Accept-Encoding": "identity"] : [:])
                            var bytes: [UInt8] = []
                            var chunks = 0
                            for try await chunk in try await client.send(request).body {
                                bytes += chunk
                                chunks += 1
                                // Behind now and then by as much as another request takes.
                                guard (chunks + worker).isMultiple(of: 4) else { continue }
                                let other = HTTPRequest(url: nginx.url("/picture", .good))
                                _ = try await client.send(other).body.collect(upTo: Self.picture.count)
                            }
                            // Not compared by the macro, which would print them.
                            let isWhole = bytes == Self.noise
                            expect(isWhole, "\(bytes.count) bytes of \(Self.noise.count)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `Cancelling a stream leaves its connection to the others`() async throws {
        try await Self.withNginx { nginx, client in
            let warm = try await client.get(nginx.url("/text", .good))
            _ = try await warm.body.collect(upTo: Self.text.count)
            let big = HTTPRequest(url: nginx.url("/bomb", .good), headers: ["Accept-Encoding": "identity"])
            for _ in 0..<10 {
                // Dropped at once: its stream is reset.
                try await expectEqual(client.send(big).status, 200)
                let response = try await client.get(nginx.url("/picture", .good))
                try await expectEqual(response.body.collect(upTo: Self.picture.count), Self.picture)
                expect(response.metrics.reusedConnection)
            }
        }
    }

    @Test func `A redirect from https to http is refused unless allowed`() async throws {
        try await Self.withNginx { nginx, client in
            await expectHTTPError(.redirectNotAllowed) { try await client.get(nginx.url("/down", .good)) }
            let up = try await client.get(nginx.url("/up"))
            expectEqual(up.url, nginx.url("/text", .good))
            var configuration = Self.configuration(.authorities(in: nginx.authority))
            configuration.allowsInsecureRedirects = true
            let lenient = HTTPClient(configuration: configuration)
            let down = try await lenient.get(nginx.url("/down", .good))
            expectEqual(down.url, nginx.url("/text"))
            await lenient.shutdown()
        }
    }

    @Test func `Ranges and conditions pass through`() async throws {
        try await Self.withNginx { nginx, client in
            let url = nginx.url("/picture", .good)
            let whole = try await client.send(HTTPRequest(url: url, method: "HEAD"))
            try await expectEqual(whole.body.collect(upTo: 0), [])
            let tag = try required(whole.headers["ETag"])
            let part = try await client.send(
                HTTPRequest(url: url, headers: ["Range": "bytes=1000-1999", "Accept-Encoding": "identity"]))
            expectEqual(part.status, 206)
            try await expectEqual(part.body.collect(upTo: 1_000), Array(Self.picture[1_000..<2_000]))
            let same = try await client.send(HTTPRequest(url: url, headers: ["If-None-Match": tag]))
            expectEqual(same.status, 304)
            try await expectEqual(same.body.collect(upTo: 0), [])
        }
    }
}
