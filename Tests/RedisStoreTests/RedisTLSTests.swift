// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import SharedStores
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import RedisStore

/// A store in front of a real server with TLS.
@Suite(.needsRedis, .timeLimit(.minutes(2))) struct RedisTLSTests {
    private let key = SharedKey(CacheKey("https://images.example/1.png"))
    private let port = RedisServer.freePort()

    private func server(_ certificate: TestCertificate) throws -> RedisServer {
        try RedisServer([
            "--bind", "127.0.0.1", "--tls-port", "\(port)", "--requirepass", "secret", "--tls-auth-clients", "no",
            "--tls-cert-file", certificate.certificatePath, "--tls-key-file", certificate.keyPath,
            "--tls-ca-cert-file", certificate.rootPath,
        ])
    }

    /// A store that tries once to connect.
    private func store(_ address: RedisAddress) -> RedisStore {
        var configuration = RedisStore.Configuration(address)
        configuration.commandTimeout = .seconds(30)  // a machine that is busy is no failure
        configuration.connectTimeout = .seconds(30)
        configuration.retryDelay = .seconds(3_600)...(.seconds(3_600))
        configuration.maximumFileByteCount = 12 << 20
        return RedisStore(configuration)
    }

    private func address(_ host: String = "localhost", _ certificate: TestCertificate? = nil) throws -> RedisAddress {
        try RedisAddress("rediss://:secret@\(host):\(port)/3" + (certificate.map { "?cacert=\($0.rootPath)" } ?? ""))
    }

    /// The server's side, by its Unix socket. When it answers there, it listens at its port.
    private func inside(_ server: RedisServer) async -> RedisLink {
        var configuration = RedisStore.Configuration(RedisAddress(.unix(path: server.path), password: "secret"))
        configuration.commandTimeout = .seconds(30)
        let link = RedisLink(configuration)
        link.start()
        while (try? await link.reply(to: RedisCommand(["PING"]))) == nil { await Task.yield() }
        return link
    }

    /// Why a store has no connection.
    private func trouble(_ address: RedisAddress) async throws -> SharedStoreError {
        let store = store(address)
        while true {
            do {
                _ = try await store.bytes(for: key)
                throw SharedStoreError(code: .malformed, message: "It is connected.")
            } catch let error as SharedStoreError {
                if error.message != "Redis is not connected yet." { return error }
            }
            await Task.yield()
        }
    }

    @Test func `entries and leases go through TLS`() async throws {
        let certificate = try TestCertificate.make(hosts: ["localhost", "127.0.0.1"])
        let server = try server(certificate)
        let inside = await inside(server)
        let one = store(try address("localhost", certificate))
        let other = store(try address("127.0.0.1", certificate))
        for store in [one, other] { expect(await store.connected(within: .seconds(60))) }
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await one.store(bytes, for: key, lifetime: .seconds(60))
        try await expectEqual(other.bytes(for: key), bytes)
        let key = key
        // More than the socket takes while the server stands still: the rest follows when it goes on.
        let large = [UInt8](repeating: 7, count: 12 << 20)
        server.signal(SIGSTOP)
        let writing = Probe { try await one.store(large, for: key, lifetime: .seconds(60)) }
        while await !one.link.isWaiting { await Task.yield() }
        server.signal(SIGCONT)
        // Commands that come while the large one leaves follow it whole.
        var behind: [Probe<[UInt8]?>] = []
        while writing.isRunning, behind.count < 2_000 {
            behind.append(Probe { try await one.bytes(for: SharedKey(CacheKey("none"))) })
            await Task.yield()
        }
        try await writing.finish()
        for call in behind { try await expectNil(call.finish()) }
        try await expectEqual(other.bytes(for: key)?.count, large.count)
        try await one.remove(key)
        guard case .leads(let lease) = try await one.claim(key) else {
            Issue.record("no lease")
            return
        }
        let waiting = Probe { try await other.claim(key) }
        try await expect(one.finish(lease, with: .stored([1], lifetime: .seconds(60))))
        try await expectEqual(waiting.finish(), .stored)

        // A server that asks for a certificate gets the one of the address, or serves nothing.
        let asks = RedisCommand(["CONFIG", "SET", "tls-auth-clients", "yes"])
        try await expect(inside.reply(to: asks).isOK)
        try await expect(trouble(address("localhost", certificate)).message.contains("cert=FILE"))
        var shown = try address("localhost", certificate)
        shown.tls?.certificatePath = certificate.certificatePath
        shown.tls?.keyPath = certificate.keyPath
        let third = store(shown)
        await expect(third.connected(within: .seconds(60)))
        try await expectEqual(third.bytes(for: key), [1])
        inside.loop.stop()

        server.kill()
        await #expect { while true { _ = try await third.bytes(for: key) } } throws: {
            ($0 as? SharedStoreError)?.code == .unreachable
        }
    }

    @Test func `a server that is not trusted hears no command`() async throws {
        let (certificate, old) = (
            try TestCertificate.make(hosts: ["localhost"]),
            try TestCertificate.make(hosts: ["localhost"], variant: .expired)
        )
        let server = try server(certificate)
        let inside = await inside(server)
        defer { inside.loop.stop() }
        try await expect(inside.reply(to: RedisCommand(["CONFIG", "RESETSTAT"])).isOK)
        let errors = [
            ("certificate in certificate chain", try await trouble(address("localhost"))),
            ("mismatch", try await trouble(address("127.0.0.1", certificate))),
            ("certificate in certificate chain", try await trouble(address("localhost", old))),
        ]
        let change = ["CONFIG", "SET", "tls-cert-file", old.certificatePath, "tls-key-file", old.keyPath]
        try await expect(inside.reply(to: RedisCommand(change)).isOK)
        for (text, error) in errors + [("expired", try await trouble(address("localhost", old)))] {
            expectEqual(error.code, .unreachable)
            expect(error.message.contains("is not trusted") && error.message.contains(text), "\(error)")
            expect(!error.message.contains("secret"))
        }
        guard case .text(let bytes) = try await inside.reply(to: RedisCommand(["INFO", "all"])) else {
            Issue.record("no statistics")
            return
        }
        let statistics = String(decoding: bytes, as: UTF8.self)
        expect(statistics.contains("cmdstat_config"))
        for command in ["auth", "select", "script", "subscribe"] { expect(!statistics.contains("cmdstat_\(command)")) }
    }

    @Test(arguments: [
        RedisAddress(.port(host: "h", port: 1), tls: .init(authorityPath: "/nowhere.pem")),
        RedisAddress(.port(host: "h", port: 1), tls: .init(certificatePath: "/nowhere.pem")),
        // Names that OpenSSL would not compare.
        RedisAddress(.port(host: "", port: 1), tls: .init()), RedisAddress(.port(host: "\0", port: 1), tls: .init()),
        RedisAddress(.port(host: ".h", port: 1), tls: .init()), RedisAddress(.unix(path: "/run/r.sock"), tls: .init()),
    ])
    func `TLS that cannot be checked is refused before there is a connection`(address: RedisAddress) async throws {
        let error = try await trouble(address)
        expectEqual(error.code, .unsupported)
        expect(error.message.contains(address.tls == .init() ? "host and a port" : "/nowhere.pem"))
    }
}
