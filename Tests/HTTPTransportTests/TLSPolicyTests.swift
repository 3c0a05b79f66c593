// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct TLSPolicyTests {
    /// Sends one request under a policy, and returns the code of its error.
    private func outcome(
        _ origin: OriginServer, _ client: HTTPClient, _ policy: TLSPolicy?
    ) async throws -> HTTPError.Code? {
        var request = HTTPRequest(url: origin.url("/"))
        request.options.tls = policy
        do {
            _ = try await client.bytes(request)
            return nil
        } catch let error as HTTPError {
            return error.code
        }
    }

    private func withTLS(
        _ certificate: TestCertificate, _ server: OriginServer.Configuration = .init(),
        client configuration: HTTPClient.Configuration = .loopback,
        _ body: (OriginServer, HTTPClient) async throws -> Void
    ) async throws {
        let origin = try OriginServer.start(tls: certificate, configuration: server)
        origin.respondToEverything { _ in .ok([1]) }
        let client = HTTPClient(configuration: configuration)
        try await body(origin, client)
        await client.shutdown()
        origin.stop()
    }

    /// The SHA-256 of a certificate in PEM, by the tool of the system.
    private func fingerprint(of path: String) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl", "x509", "-in", path, "-noout", "-fingerprint", "-sha256"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "=").last?.split(separator: ":").compactMap {
            UInt8($0.prefix(2), radix: 16)
        } ?? []
    }

    @Test func `expired wrong host unknown issuer and pin mismatch are four codes`() async throws {
        var codes: [HTTPError.Code?] = []
        for variant in [TestCertificate.Variant.expired, .notYetValid, .wrongHost, .valid] {
            let certificate = try TestCertificate.make(variant: variant)
            try await withTLS(certificate) { origin, client in
                let trusted = TLSPolicy.authorities(in: certificate.rootPath)
                codes.append(try await outcome(origin, client, trusted))
                guard variant == .valid else { return }
                codes.append(try await outcome(origin, client, .system))
                let wrong = trusted.pinned(to: .publicKey(sha256: [UInt8](repeating: 0, count: 32)))
                codes.append(try await outcome(origin, client, wrong))
            }
        }
        let expected: [HTTPError.Code?] = [
            .certificateExpired, .certificateExpired, .certificateHostMismatch, nil, .certificateNotTrusted,
            .certificatePinMismatch,
        ]
        expectEqual(codes, expected)
    }

    @Test func `the error of a refused certificate has what the origin has shown`() async throws {
        for variant in [TestCertificate.Variant.expired, .wrongHost, .valid] {
            let certificate = try TestCertificate.make(variant: variant)
            let text = try String(contentsOfFile: certificate.certificatePath, encoding: .utf8)
            let lines = text.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }.dropFirst()
            let leaf = try required(Data(base64Encoded: lines.prefix { !$0.hasPrefix("-----") }.joined()))
            try await withTLS(certificate) { origin, client in
                let url = URL(string: "https://localhost:\(origin.port)/")!
                // A later connection may go on with the session of an earlier one, in which nothing is sent again.
                for _ in 0..<10 {
                    var request = HTTPRequest(url: url)
                    // What is refused of a valid one is its key.
                    let trusted = TLSPolicy.authorities(in: certificate.rootPath)
                    let key = TLSPolicy.Pin.publicKey(sha256: [UInt8](repeating: 0, count: 32))
                    request.options.tls = variant == .valid ? trusted.pinned(to: key) : trusted
                    let error = await expectHTTPError { try await client.send(request) }
                    expectEqual(error?.peerCertificates.first, Array(leaf))
                }
                await client.shutdown()
                let other = await expectHTTPError(.shutDown) { try await client.get(url) }
                expectEqual(other?.peerCertificates, [])
            }
        }
    }

    @Test func `a handle that is set up has no chain of an earlier one at its address`() async throws {
        try await withTLS(TestCertificate.make()) { origin, _ in
            let lengths = try chainLengths(at: "https://localhost:\(origin.port)/")
            expectAll(lengths.refused > 4, lengths.setUp == 0)
        }
    }

    /// The bytes that a handle has of the chain of an origin that it does not trust, and once it is set up again.
    private func chainLengths(at url: String) throws -> (refused: Int, setUp: Int) {
        let easy = try unsafe required(curl_easy_init())
        defer { unsafe curl_easy_cleanup(easy) }
        unsafe transport_watch_tls(easy)
        for (option, value) in [(CURLOPT_URL, url), (CURLOPT_NOPROXY, "*")] {
            _ = unsafe value.withCString { unsafe transport_set_string(easy, option, $0) }
        }
        expectEqual(unsafe curl_easy_perform(easy), CURLE_PEER_FAILED_VERIFICATION)
        var bytes: UnsafePointer<UInt8>?
        let refused = unsafe transport_last_chain(easy, &bytes)
        unsafe transport_watch_tls(easy)
        return (refused, unsafe transport_last_chain(easy, &bytes))
    }

    @Test func `one of several pins is enough and it may be of any certificate of the chain`() async throws {
        let certificate = try TestCertificate.make()
        let trusted = TLSPolicy.authorities(in: certificate.rootPath)
        let wrong = TLSPolicy.Pin.publicKey(sha256: [UInt8](repeating: 7, count: 32))
        let key = TLSPolicy.Pin.publicKey(sha256: certificate.publicKeySHA256)
        let leaf = TLSPolicy.Pin.certificate(sha256: try fingerprint(of: certificate.certificatePath))
        let root = TLSPolicy.Pin.certificate(sha256: try fingerprint(of: certificate.rootPath))
        let text = try required(
            TLSPolicy.Pin.publicKey(base64: Data(certificate.publicKeySHA256).base64EncodedString()))
        expectEqual(text, key)
        expectNil(TLSPolicy.Pin.publicKey(base64: "AAAA"))
        try await withTLS(certificate) { origin, client in
            for pin in [key, leaf, root] {
                let code = try await outcome(origin, client, trusted.pinned(to: wrong, pin))
                expectNil(code)
            }
            // A key is no certificate, and a digest of another length matches nothing.
            let crossed = TLSPolicy.Pin.certificate(sha256: certificate.publicKeySHA256)
            for pins in [[crossed], [.publicKey(sha256: [])], [.publicKey(sha256: certificate.publicKeySHA256 + [0])]] {
                var policy = trusted
                policy.pins = Set(pins)
                let code = try await outcome(origin, client, policy)
                expectEqual(code, .certificatePinMismatch)
            }
            // A pin adds to the trust and does not replace it.
            let untrusted = try await outcome(origin, client, TLSPolicy.system.pinned(to: key))
            expectEqual(untrusted, .certificateNotTrusted)
            let alone = try await outcome(origin, client, TLSPolicy.insecure.pinned(to: key))
            expectNil(alone)
            let unknown = try await outcome(origin, client, TLSPolicy.insecure.pinned(to: root))
            expectEqual(unknown, .certificatePinMismatch)
        }
    }

    @Test func `pins that pin nothing and an origin without a certificate are refused before a connection`()
        async throws
    {
        let certificate = try TestCertificate.make()
        let trusted = TLSPolicy.authorities(in: certificate.rootPath)
        try await withTLS(certificate) { origin, client in
            // Each text has a typing error; each digest a wrong length.
            var misspelt = trusted
            misspelt.pins = Set(["AAAA", "sha256//x", ""].compactMap { TLSPolicy.Pin.publicKey(base64: $0) })
            var short = trusted
            short.pins = [.publicKey(sha256: []), .certificate(sha256: [1])]
            for policy in [misspelt, short, trusted.pinned()] {
                let code = try await outcome(origin, client, policy)
                expectEqual(code, .certificatePinMismatch)
            }
            expectEqual(origin.connectionCount, 0)
            var none = trusted
            none.pins = nil
            let code = try await outcome(origin, client, none)
            expectNil(code)
        }
        let pinned = trusted.pinned(to: .publicKey(sha256: certificate.publicKeySHA256))
        let plain = try OriginServer.byHand {
            $0.respond(302, ["Location: http://127.0.0.1:\($0.headers["Host"]!.split(separator: ":")[1])/b"])
        }
        defer { plain.stop() }
        let client = HTTPClient(configuration: .loopback { $0.tlsForHosts = ["localhost": pinned] })
        var request = HTTPRequest(url: plain.url("/a"))
        request.options.tls = pinned
        let named = HTTPRequest(url: URL(string: "http://localhost:\(plain.port)/a")!)
        for request in [request, named] {
            await expectHTTPError(.certificatePinMismatch) { try await client.send(request) }
        }
        expectEqual(plain.connectionCount, 0)
        await client.shutdown()
    }

    @Test func `a kept connection and a resumed session do not get around a pin`() async throws {
        let certificate = try TestCertificate.make()
        let trusted = TLSPolicy.authorities(in: certificate.rootPath)
        let wrong = trusted.pinned(to: .publicKey(sha256: [UInt8](repeating: 7, count: 32)))
        let right = trusted.pinned(to: .publicKey(sha256: certificate.publicKeySHA256))
        try await withTLS(certificate) { origin, client in
            let policies = [trusted, wrong, right, wrong, right, trusted]
            var codes: [HTTPError.Code?] = []
            for policy in policies { codes.append(try await outcome(origin, client, policy)) }
            // And on new connections, whose sessions could be resumed.
            for policy in policies {
                origin.closeConnections()
                codes.append(try await outcome(origin, client, policy))
            }
            let once: [HTTPError.Code?] = [nil, .certificatePinMismatch, nil, .certificatePinMismatch, nil, nil]
            expectEqual(codes, once + once)
            expectEqual(origin.requestCount, 8)
        }
    }

    @Test func `a pin has 32 bytes, and each one more is in addition`() {
        expectNil(TLSPolicy.Pin.publicKey(base64: "AAAA"))
        let pins = (1...2 as ClosedRange<UInt8>).map {
            TLSPolicy.Pin.publicKey(sha256: [UInt8](repeating: $0, count: 32))
        }
        let policy = TLSPolicy.system.pinned(to: pins[0]).pinned(to: pins[1], .certificate(sha256: [7]))
        expectEqual(policy.pins?.count, 3)
        expectEqual(policy.pinBytes.map { Set($0) }, [0, 1, 2])
        expectEqual(policy.pinBytes?.count, 66)
    }

    @Test func `each connection to an origin with pins satisfies them`() async throws {
        let certificate = try TestCertificate.make()
        let policy = TLSPolicy.authorities(in: certificate.rootPath).pinned(
            to: .publicKey(sha256: certificate.publicKeySHA256))
        try await withTLS(certificate) { origin, client in
            origin.respondToEverything { _ in OriginReply.ok([1]).header("Connection", "close") }
            for _ in 0..<4 { try await expectNil(outcome(origin, client, policy)) }
            expectEqual(origin.connectionCount, 4)
        }
    }

    @Test func `an origin below the lowest version is refused`() async throws {
        let certificate = try TestCertificate.make()
        var old = OriginServer.Configuration()
        old.newestTLSVersion = .v12
        try await withTLS(certificate, old) { origin, client in
            var policy = TLSPolicy.authorities(in: certificate.rootPath)
            let usual = try await outcome(origin, client, policy)
            expectNil(usual)
            policy.minimumVersion = .v13
            let strict = try await outcome(origin, client, policy)
            expectEqual(strict, .tlsFailed)
        }
    }

    @Test func `a client certificate is shown to the origin of its request and after a redirect to no other`()
        async throws
    {
        let certificate = try TestCertificate.make()
        var asking = OriginServer.Configuration()
        asking.requiresClientCertificate = true
        let other = try OriginServer.start(tls: certificate, configuration: asking)
        other.respondToEverything { _ in .ok([2]) }
        defer { other.stop() }
        var policy = TLSPolicy.authorities(in: certificate.rootPath)
        try await withTLS(certificate, asking) { origin, client in
            origin.respond(to: "/away", with: .redirect(to: other.url("/").absoluteString, status: 302))
            let without = try await outcome(origin, client, policy)
            expect(without != nil)
            policy.clientCertificate = TLSPolicy.ClientCertificate(
                certificatePath: certificate.certificatePath, keyPath: certificate.keyPath)
            let with = try await outcome(origin, client, policy)
            expectNil(with)
            var request = HTTPRequest(url: origin.url("/away"))
            request.options.tls = policy
            await expectHTTPError { try await client.send(request) }
            expectEqual(other.requestCount, 0)
        }
    }

    @Test func `the closest policy of a host counts before that of the client`() async throws {
        let certificate = try TestCertificate.make()
        var configuration = HTTPClient.Configuration.loopback
        configuration.tlsForHosts = ["LOCALHOST": .authorities(in: certificate.rootPath)]
        try await withTLS(certificate, client: configuration) { origin, client in
            let name = URL(string: "https://localhost:\(origin.port)/")!
            let address = URL(string: "https://127.0.0.1:\(origin.port)/")!
            let bytes = try await client.bytes(HTTPRequest(url: name))
            expectEqual(bytes, [1])
            await expectHTTPError(.certificateNotTrusted) { try await client.get(address) }
            var strict = HTTPRequest(url: name)
            strict.options.tls = .system
            await expectHTTPError(.certificateNotTrusted) { try await client.send(strict) }
        }
        var settings = HTTPClient.Configuration()
        settings.tlsForHosts = [
            "a.b.example": .insecure, "*.example": .authorities(in: "/x"), "*.b.example": .insecure,
        ]
        let table = TransferSettings(settings)
        expectEqual(table.tls(for: "a.b.example"), .insecure)
        expectEqual(table.tls(for: "c.b.example"), .insecure)
        expectEqual(table.tls(for: "c.example"), .authorities(in: "/x"))
        expectEqual(table.tls(for: "example"), .system)
        expectEqual(table.tls(for: "10.0.0.1"), .system)
    }
}
