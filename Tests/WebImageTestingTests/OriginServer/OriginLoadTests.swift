// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import Glibc
import TestSupport
import Testing
import WebImageTesting

/// Counts that belong to the whole process are taken in processes of their own.
@Suite(.timeLimit(.minutes(10)))
struct OriginLoadTests {
    @Test func `two hundred rounds leave neither descriptors nor threads`() async {
        await #expect(processExitsWith: .success) {
            func round() async throws {
                let origin = try OriginServer.start()
                let gate = OriginGate()
                origin.respond(to: "/held", with: OriginReply().held(at: gate))
                let clients = try (1...4).map { _ in try RawClient(origin) }
                try clients[0].get("/held")
                try clients[1].get("/a")
                _ = clients[1].readHead()
                clients[2].close()
                await gate.waitUntilReached()
                await origin.waitUntilClosedByPeer(count: 1)
                origin.stop()
            }
            for _ in 1...3 { try await round() }
            let before = (entries("/proc/self/fd"), entries("/proc/self/task"))
            for _ in 1...200 { try await round() }
            // A leak would appear two hundred times; the number of the runtime's own threads and descriptors may vary.
            expect(entries("/proc/self/fd"), <, before.0 + 8)
            expect(entries("/proc/self/task"), <, before.1 + 8)
        }
    }

    @Test func `the stacks of ended connections are given back while the server runs`() async {
        await #expect(processExitsWith: .success) {
            var configuration = OriginServer.Configuration()
            configuration.stackByteCount = 8 << 20
            let origin = try OriginServer.start(configuration: configuration)
            func round() throws {
                let client = try RawClient(origin)
                try client.get("/a", "Connection: close")
                _ = client.readToEnd()
            }
            for _ in 1...50 { try round() }
            let before = addressSpace()
            for _ in 1...1000 { try round() }
            // A thousand stacks would be eight gigabytes; the allocator's arenas are below one.
            expect(addressSpace(), <, before + 2 << 30)
            origin.stop()
        }
    }

    // The peer leaves with nothing unread, while the handler occupies the thread: the first write is answered with a
    // reset, the next one breaks the pipe.

    @Test func `writing to a peer that has left does not end the process`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let origin = try OriginServer.start()
            let left = DispatchSemaphore(value: 0)
            origin.respond(to: "/a") { _ in
                left.wait()
                return OriginReply().interim(count: 1000)
            }
            let client = try RawClient(origin)
            try client.get("/a")
            await origin.waitForRequests(count: 1)
            client.close()
            left.signal()
            await expect(origin.waitUntilClosedByPeer(count: 1))
            origin.stop()
        }
    }

    @Test(.enabled(if: Curl.canRun, Curl.hint))
    func `writing TLS to a peer that has left does not end the process`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let certificate = try TestCertificate.make()
            let origin = try OriginServer.start(tls: certificate)
            let left = DispatchSemaphore(value: 0)
            origin.respond(to: "/a") { _ in
                left.wait()
                return OriginReply().interim(count: 1000)
            }
            let url = origin.url("/a").absoluteString
            let status = try Curl.run("--cacert", certificate.rootPath, "--max-time", "1", url).status
            expectEqual(status, 28)
            left.signal()
            await expect(origin.waitUntilClosedByPeer(count: 1))
            origin.stop()
        }
    }

    @Test func `the release of the last reference stops the server, and a handler may stop its own`() async {
        await #expect(processExitsWith: .success) {
            for _ in 1...20 {
                let client: RawClient
                do {
                    let origin = try OriginServer.start()
                    client = try RawClient(origin)
                    try client.get("/a")
                    _ = client.readHead()
                }
                expectEqual(client.readToEnd().end, .endOfStream)
            }
            let origin = try OriginServer.start()
            origin.respond(to: "/a") { _ in
                origin.stop()
                return .status(200)
            }
            let client = try RawClient(origin)
            try client.get("/a")
            expectEmpty(client.readToEnd().text)
        }
    }
}

/// The size of the process's address space in bytes.
private func addressSpace() -> Int {
    let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (sizes.split(separator: " ").first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}

private func entries(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
}
