// SPDX-License-Identifier: MIT
import Testing
import WebImageBinding
import WebImageTesting

@testable import gallery

@Suite(.timeLimit(.minutes(1)))
struct PaceTests {
    @Test func `pieces leave when their time has come, and not before`() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let pace = Pace()
        origin.respond(to: "/a") { _ in
            pace.paced(.ok([UInt8](repeating: 7, count: 100), type: "image/png"), pieces: 4)
        }
        try await withHTTPClient(of: origin) { client in
            async let body = client()
            await origin.waitForRequests(count: 1)
            while pace.openCount == 0 || !pace.isStill { await Task.yield() }
            pace.release(at: Pace.interval * 3)
            #expect(pace.openCount == 1)
            // A time that goes back releases nothing, and takes nothing back.
            pace.release(at: .zero)
            #expect(pace.openCount == 1)
            pace.release(at: Pace.interval * 4)
            #expect(pace.openCount == 0)
            let count = try await body
            #expect(count == 100)
        }
    }

    @Test func `the end lets everything leave, also what comes later`() {
        let pace = Pace()
        _ = pace.paced(.ok([1, 2, 3]), pieces: 3)
        #expect(pace.openCount == 1 && !pace.isStill)
        pace.end()
        #expect(pace.openCount == 0 && pace.isStill)
        _ = pace.paced(.ok([1, 2, 3]), pieces: 3)
        #expect(pace.openCount == 0)
    }

    /// Gives `body` a function that downloads `/a` and returns how many bytes came.
    private func withHTTPClient(
        of origin: OriginServer, _ body: (@Sendable @escaping () async throws -> Int) async throws -> Void
    ) async throws {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted
        try await withImageManager(configuration) { manager in
            let url = origin.url("/a")
            try await body {
                // The body is no picture: the error comes after its last byte.
                do { _ = try await manager.image(from: url) } catch { return manager.counters.downloadedByteCount }
                return 0
            }
        }
    }
}
