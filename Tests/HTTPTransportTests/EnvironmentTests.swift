// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
#endif

/// What the environment and the home directory say to other programs that use libcurl and OpenSSL.
@Suite(.timeLimit(.minutes(1)))
struct EnvironmentTests {
    @Test func `files in the home directory add neither credentials nor options`() async {
        // The environment belongs to the whole process, so each case has a process of its own.
        await #expect(processExitsWith: .success) {
            let home = try EnvironmentTests.makeFolder()
            defer { try? FileManager.default.removeItem(at: home) }
            try "machine 127.0.0.1 login user password secret\n"
                .write(to: home.appending(path: ".netrc"), atomically: true, encoding: .utf8)
            try "proxy = 127.0.0.1:9\nuser-agent = other\n"
                .write(to: home.appending(path: ".curlrc"), atomically: true, encoding: .utf8)
            for name in ["HOME", "CURL_HOME", "XDG_CONFIG_HOME"] { unsafe setenv(name, home.path, 1) }
            unsafe setenv("NETRC", home.appending(path: ".netrc").path, 1)
            let origin = try OriginServer.byHand {
                let seen = [$0.headers["Authorization"], $0.headers["User-Agent"], $0.headers["Cookie"]]
                $0.respond(body: Array("\(seen.compactMap(\.self))".utf8))
            }
            let client = HTTPClient(configuration: .loopback)
            let bytes = try await client.get(origin.url("/")).body.collect(upTo: 1_000)
            expectEqual(String(decoding: bytes, as: UTF8.self), #"["swift-web-image"]"#)
        }
    }

    @Test func `no authorities are added and no keys are logged`() async {
        await #expect(processExitsWith: .success) {
            let folder = try EnvironmentTests.makeFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let certificate = try TestCertificate.make()
            let log = folder.appending(path: "keys").path
            unsafe setenv("SSLKEYLOGFILE", log, 1)
            for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] { unsafe setenv(name, certificate.rootPath, 1) }
            let origin = try OriginServer.start(tls: certificate)
            origin.respond(to: "/", with: .ok([1]))
            let stranger = HTTPClient(configuration: .loopback)
            await expectHTTPError(.certificateNotTrusted) { try await stranger.get(origin.url("/")) }
            let client = HTTPClient(configuration: .loopback { $0.tls = .authorities(in: certificate.rootPath) })
            _ = try await client.get(origin.url("/")).body.collect(upTo: 1)
            await client.shutdown()
            expect((FileManager.default.contents(atPath: log) ?? Data()).isEmpty)
        }
    }

    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
