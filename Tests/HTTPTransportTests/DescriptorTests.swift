// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
import WebImageTesting

/// A process without descriptors, which is this one for a moment.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct DescriptorTests {
    @Test func `A process without descriptors says so, and recovers`() async throws {
        let client = HTTPClient(configuration: .loopback)
        // Its thread has its descriptors from now on.
        let nowhere = HTTPRequest(url: URL(string: "http://127.0.0.2:1/")!)
        await expectHTTPError(.cannotConnect) { try await client.send(nowhere) }
        await expectHTTPError(.tooManyOpenFiles) {
            try await Self.withoutDescriptors { _ = try await client.send(nowhere) }
        }
        let origin = try OriginServer.byHand { $0.respond(body: [1]) }
        try await expectEqual(client.get(origin.url("/")).body.collect(upTo: 1), [1])
        origin.stop()
        await client.shutdown()
    }

    @Test func `sockets leave files their descriptors, and every answer comes`() async throws {
        let origin = try OriginServer.byHand { $0.respond(body: [UInt8](repeating: 7, count: 20_000)) }
        defer { origin.stop() }
        let url = origin.url("/").absoluteString
        await #expect(processExitsWith: .success) { [url = url as String] in
            var limit = rlimit(rlim_cur: 32, rlim_max: 32)
            unsafe setrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
            let client = HTTPClient(configuration: .loopback { $0.maximumConnectionsPerHost = 50 })
            let request = HTTPRequest(url: URL(string: url)!)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<500 {
                    group.addTask {
                        let bytes = try await client.send(request).body.collect(upTo: 20_000)
                        // What is done with an answer needs a file.
                        let file = unsafe open("/dev/null", O_WRONLY)
                        expectAll(file >= 0, bytes.count == 20_000)
                        close(file)
                    }
                }
                try await group.waitForAll()
            }
            await client.shutdown()
        }
    }

    /// The descriptors of this process that are open.
    static var openOnes: [CInt] { (0..<1_024 as Range<CInt>).filter { fcntl($0, F_GETFD) >= 0 } }

    @Test func `free descriptors are counted, and a process gets as many as it may`() async {
        await #expect(processExitsWith: .success) {
            // Dispatch has its own from now on.
            try await Descriptors.prepare(needing: 1)
            var limit = rlimit(rlim_cur: 64, rlim_max: 100)
            unsafe setrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
            var count = DescriptorTests.openOnes.count
            // What the process opens at its start may still come and go.
            for _ in 0..<1_000 where Descriptors.freeCount != 64 - count { count = DescriptorTests.openOnes.count }
            expectEqual(Descriptors.freeCount, 64 - count)
            let files = (0..<64).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }.filter { $0 >= 0 }
            expectEqual(Descriptors.freeCount, 0)
            // A client that is made now refuses every request, and has an end.
            let late = HTTPClient(configuration: .loopback)
            let refused = await expectHTTPError(.shutDown) { try await late.get(URL(string: "http://127.0.0.2:1/")!) }
            expectEqual(refused?.message, "The process has no descriptor left for an HTTP client.")
            await late.shutdown()
            files.forEach { close($0) }
            // Six are for Dispatch, whatever the program asks for.
            let error = await expectHTTPError(.tooManyOpenFiles) { try await Descriptors.prepare(needing: 97 - count) }
            expectEqual(error?.message.contains("may open 100 files"), true)
            let left = try await Descriptors.prepare(needing: 90 - count)
            expect(left, >=, 90 - count)
        }
    }

    @Test func `a process that is started inherits nothing of a client`() async throws {
        let origin = try OriginServer.byHand { $0.respond(body: [1]) }
        defer { origin.stop() }
        let url = origin.url("/").absoluteString
        await #expect(processExitsWith: .success) { [url = url as String] in
            /// The number of a descriptor and what it leads to, because a number is used again.
            let name: @Sendable (CInt) -> String = { descriptor in
                let path = "/proc/self/fd/\(descriptor)"
                return "\(descriptor) " + ((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? "")
            }
            // What this process has of the one that started it.
            let inherited = Set(DescriptorTests.openOnes.map(name))
            let client = HTTPClient(configuration: .loopback)
            _ = try await client.bytes(HTTPRequest(url: URL(string: url)!))
            // Its connection, and what its loop waits with. libcurl wakes itself with local sockets that lead nowhere.
            let opened = DescriptorTests.openOnes.filter { !inherited.contains(name($0)) }
            let connections = opened.filter { descriptor in
                var (address, length) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
                let isSocket = unsafe getsockname(descriptor, &address, &length) == 0
                return isSocket && address.sa_family == sa_family_t(AF_INET)
            }
            let polls = opened.filter { name($0).contains(" anon_inode:[event") }
            expect(!connections.isEmpty)
            expectEqual((connections + polls).filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }.map(name), [])
            await client.shutdown()
        }
    }

    @Test func `what keeps a second connection from being made is told, and not what was wrong with the kept one`()
        async throws
    {
        let certificate = try TestCertificate.make()
        let origin = try OriginServer.start(tls: certificate)
        defer { origin.stop() }
        origin.respondToEverything { _ in .ok([1]) }
        let client = HTTPClient(configuration: .loopback)
        var pinned = HTTPRequest(url: origin.url("/"))
        pinned.options.tls = TLSPolicy.authorities(in: certificate.rootPath).pinned(
            to: .publicKey(sha256: certificate.publicKeySHA256))
        try await expectEqual(client.bytes(pinned), [1])
        pinned.options.tls = TLSPolicy.authorities(in: certificate.rootPath).pinned(
            to: .publicKey(sha256: [UInt8](repeating: 0, count: 32)))
        await expectHTTPError(.tooManyOpenFiles) { [pinned] in
            try await Self.withoutDescriptors { _ = try await client.send(pinned) }
        }
        await expectHTTPError(.certificatePinMismatch) { try await client.send(pinned) }
        await client.shutdown()
    }

    private static func withoutDescriptors(_ body: () async throws -> Void) async throws {
        let number = CInt(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        unsafe getrlimit(number, &limit)
        var none = limit
        none.rlim_cur = 0
        unsafe setrlimit(number, &none)
        // Whatever `body` does, the others go on with their descriptors.
        defer { unsafe setrlimit(number, &limit) }
        try await body()
    }
}
#endif
