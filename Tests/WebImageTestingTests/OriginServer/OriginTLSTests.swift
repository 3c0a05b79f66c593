// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestSupport
import Testing
import WebImageTesting

@Suite(.enabled(if: Curl.canRun, Curl.hint), .timeLimit(.minutes(10)))
struct OriginTLSTests {
    @Test
    func `a client that trusts the root is answered over one connection of HTTP 1_1, also with a large body`() throws {
        // A client that trusts the root is answered, by name and by address.
        do {
            let certificate = try TestCertificate.make()
            let origin = try OriginServer.start(tls: certificate)
            defer { origin.stop() }
            origin.respond(to: "/a", with: .text("secret"))
            for host in ["localhost", "127.0.0.1"] {
                let url = origin.url("/a", host: host).absoluteString
                expect(url.hasPrefix("https://"))
                let (output, status) = try Curl.run("--ipv4", "--cacert", certificate.rootPath, url)
                expectEqual(output, "secret")
                expectEqual(status, 0)
            }
            expectEqual([origin.requestCount(for: "/a"), origin.failedHandshakes], [2, 0])
        }

        // HTTP 1_1 is agreed on, and one connection carries several requests.
        do {
            let certificate = try TestCertificate.make()
            let origin = try OriginServer.start(tls: certificate)
            defer { origin.stop() }
            origin.respondToEverything { .text($0.path) }
            let (output, _) = try Curl.run(
                "--http2", "--verbose", "--cacert", certificate.rootPath, origin.url("/a").absoluteString,
                origin.url("/b").absoluteString)
            expect(output.contains("ALPN: server accepted http/1.1"))
            expectAll(output.contains("/a"), output.contains("/b"))
            expectEqual(origin.connectionCount, 1)
        }

        // A large body arrives whole.
        do {
            let certificate = try TestCertificate.make()
            let origin = try OriginServer.start(tls: certificate)
            defer { origin.stop() }
            let body = (0..<1_000_003).map { UInt8(97 + $0 % 26) }
            origin.respond(to: "/a", with: OriginReply(body: body).chunked(byteCount: 7777))
            let (output, status) = try Curl.run("--cacert", certificate.rootPath, origin.url("/a").absoluteString)
            expectEqual(output, String(decoding: body, as: UTF8.self))
            expectEqual(status, 0)
        }
    }

    @Test(arguments: [
        (TestCertificate.Variant.expired, "certificate has expired"), (.notYetValid, "certificate is not yet valid"),
        (.wrongHost, "no alternative certificate subject name"),
    ])
    func `a bad certificate, and an unknown issuer, is refused for its own reason`(
        variant: TestCertificate.Variant, reason: String
    ) async throws {
        // A bad certificate is refused for its own reason.
        do {
            let certificate = try TestCertificate.make(variant: variant)
            let origin = try OriginServer.start(tls: certificate)
            defer { origin.stop() }
            let (output, status) = try Curl.run(
                "--ipv4", "--cacert", certificate.rootPath, origin.url("/a", host: "localhost").absoluteString)
            expectEqual(status, 60)
            expect(output.contains(reason))
            expectEqual(origin.requestCount, 0)
        }

        // A client without the root sees an unknown issuer.
        do {
            let origin = try OriginServer.start(tls: TestCertificate.make())
            defer { origin.stop() }
            try expectEqual(Curl.run(origin.url("/a").absoluteString).status, 60)
            await expect(origin.waitForFailedHandshakes(count: 1))
            expectEqual(origin.requestCount, 0)
        }
    }

    @Test func `a truncated reply ends without close_notify, and resets and short bodies are as without TLS`() throws {
        // A truncated reply ends without close_notify, a whole one with it.
        do {
            let origin = try OriginServer.start(tls: TestCertificate.make())
            defer { origin.stop() }
            let digits = OriginReply(body: Array("0123456789".utf8)).untilClose()
            origin.respond(to: "/cut", with: digits.truncated(after: 4))
            origin.respond(to: "/whole", with: digits)
            let cut = try Curl.sendByOpenSSL("/cut", to: origin)
            expect(cut.output.contains("\r\n\r\n0123"))
            expect(cut.output.contains("unexpected eof"))
            let whole = try Curl.sendByOpenSSL("/whole", to: origin)
            expect(whole.output.contains("\r\n\r\n0123456789"))
            expect(!whole.output.contains("unexpected eof"))
        }

        // A reset, a hang-up and a short body behave alike under TLS.
        do {
            let certificate = try TestCertificate.make()
            let origin = try OriginServer.start(tls: certificate)
            defer { origin.stop() }
            origin.respond(to: "/reset", with: .reset)
            origin.respond(to: "/empty", with: .hangUp)
            origin.respond(to: "/short", with: OriginReply(body: [1, 2, 3]).truncated(after: 2))
            let statuses = try ["/reset", "/empty", "/short"].map { path in
                try Curl.run("--cacert", certificate.rootPath, "-o", "/dev/null", origin.url(path).absoluteString)
                    .status
            }
            // Receive error, empty reply; partial file, or from curl 8 on a receive error.
            expect([[56, 52, 18], [56, 52, 56]].contains(statuses))
        }
    }

    @Test func `a version of TLS before 1_2 is offered alone`() throws {
        let certificate = try TestCertificate.make()
        var configuration = OriginServer.Configuration()
        configuration.newestTLSVersion = .v11
        let origin = try OriginServer.start(tls: certificate, configuration: configuration)
        defer { origin.stop() }
        origin.respond(to: "/a", with: .text("ancient"))
        let url = origin.url("/a").absoluteString
        try expectEqual(Curl.run("--cacert", certificate.rootPath, "--tlsv1.2", url).status, 35)
        let (output, _) = try Curl.run(
            "--cacert", certificate.rootPath, "--tlsv1.1", "--ciphers", "DEFAULT:@SECLEVEL=0", url)
        expectEqual(output, "ancient")
    }

    @Test func `a peer that speaks no TLS fails the handshake`() async throws {
        let origin = try OriginServer.start(tls: TestCertificate.make())
        defer { origin.stop() }
        let client = try RawClient(origin, sendBuffer: 4096)
        try client.get("/" + String(repeating: "a", count: 1_000_000))
        // An orderly end although the server did not read everything: its message about the failure has arrived.
        expectEqual(client.readToEnd().end, .endOfStream)
        await expect(origin.waitForFailedHandshakes(count: 1))
        expectEqual(origin.closedByPeer, 0)
    }

    @Test(arguments: ["", "a b", "a,DNS:b", "a\nb", "$ENV::HOME", "[::1]"])
    func `the files are the owner's, and go with the certificate, and no invalid host is taken`(host: String) throws {
        // An invalid host is refused.
        let error = expectError(OriginError.self) { try TestCertificate.make(hosts: [host]) }
        expectEqual(error?.code, .certificate)

        // The files are removed with the certificate, and only the owner may read them.
        let paths: [String]
        do {
            let certificate = try TestCertificate.make(hosts: ["a.example", "*.b.example", "10.0.0.1", "fe80::1"])
            paths = [certificate.rootPath, certificate.certificatePath, certificate.keyPath]
            for path in paths { expect(FileManager.default.fileExists(atPath: path)) }
            let folder = URL(filePath: certificate.keyPath).deletingLastPathComponent().path
            let attributes = try FileManager.default.attributesOfItem(atPath: folder)
            expectEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o700)
        }
        for path in paths { expect(!FileManager.default.fileExists(atPath: path)) }
    }
}
